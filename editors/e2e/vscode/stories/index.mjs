// The stories by name, in the order in which they are told. Those with a window of their own come last: each costs a start.

import { cancel } from './cancel.mjs';
import { claude } from './claude.mjs';
import { conflict } from './conflict.mjs';
import { crlf } from './crlf.mjs';
import { dirty } from './dirty.mjs';
import { ingest } from './ingest.mjs';
import { many } from './many.mjs';
import { native } from './native.mjs';
import { refusal } from './refusal.mjs';
import { reload } from './reload.mjs';

export const stories = { ingest, refusal, cancel, conflict, dirty, crlf, claude, many, native, reload };
