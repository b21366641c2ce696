// Package board is the loopback endpoint that takes events from agents, hooks and scripts (design section 9).
//
// [Serve] listens on a port of 127.0.0.1 and hands each event that is one to the caller, capped and in the order of arrival.
//
// Guarantees: it is reachable from this machine only; a web page cannot post to it (Host, Origin and content type are judged before the
// body is read); a wrong token is refused, whether one is required or not; what is refused changes nothing and is counted;
// an emitter never waits for the reader.
//
// [Emitter] is the other side: it posts to a board and never holds up who has the events.
//
// It stores nothing, shows nothing and knows no run: see package wiki for what becomes of an event.
package board
