// Package daemon ingests new sources by itself: it watches raw/ of every wiki that it is given, keeps a queue on disk, and runs what is due through the
// host, one run a wiki at a time.
//
// [Run] is the daemon. What it makes waits as a proposal, and as <wiki>/proposals/<source>.diff; only where it is told to apply, what carries no flag is
// applied, through the same door as everything else.
//
// Guarantees: a source is queued once for what it says, whatever happens in between (kill -9 too); what failed is tried again later and later, and given
// up with a reason; no more runs are started within 24 hours than the user's configuration allows, however the clock jumps; a queue that is paused in any
// program rests here as well. On the signal to end, the current run is finished, or given back to the queue.
//
// It writes no page, decides no consent, and knows no agent. It logs nothing: it tells what happens to the function that it is given.
package daemon
