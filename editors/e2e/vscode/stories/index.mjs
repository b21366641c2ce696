// The stories by name, in the order in which they are told.

import { ingest } from './ingest.mjs';

export const stories = { ingest };
