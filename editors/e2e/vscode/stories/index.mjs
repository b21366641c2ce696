// The stories by name, in the order in which they are told. Those with a window of their own come last: each costs a start.

import { agents } from './agents.mjs';
import { alive } from './alive.mjs';
import { ask } from './ask.mjs';
import { batch } from './batch.mjs';
import { boxes } from './boxes.mjs';
import { cancel } from './cancel.mjs';
import { chat } from './chat.mjs';
import { claude } from './claude.mjs';
import { conflict } from './conflict.mjs';
import { crlf } from './crlf.mjs';
import { demo } from './demo.mjs';
import { dirty } from './dirty.mjs';
import { fetch } from './fetch.mjs';
import { german } from './german.mjs';
import { hover } from './hover.mjs';
import { ingest } from './ingest.mjs';
import { init } from './init.mjs';
import { keys } from './keys.mjs';
import { many } from './many.mjs';
import { missing } from './missing.mjs';
import { native } from './native.mjs';
import { records } from './records.mjs';
import { refusal } from './refusal.mjs';
import { reload } from './reload.mjs';
import { revise } from './revise.mjs';
import { tasks } from './tasks.mjs';
import { untrusted } from './untrusted.mjs';

export const stories = {
  ingest,
  refusal,
  cancel,
  conflict,
  dirty,
  crlf,
  claude,
  ask,
  hover,
  chat,
  agents,
  batch,
  boxes,
  keys,
  revise,
  native,
  records,
  fetch,
  tasks,
  demo,
  init,
  alive,
  many,
  german,
  reload,
  untrusted,
  missing,
};
