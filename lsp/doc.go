// Package lsp is the language server: JSON-RPC in, jobs out; outcomes in, workspace edits out.
//
// [Serve] speaks LSP 3.18 with one client over one stream. Document changes are taken in order, in line; everything else runs concurrently and
// bounded, and can be cancelled. A command that starts a run answers its id at once; progress, state and result follow. What a run proposes is
// shown by the rung of the preview ladder that the client can carry, and applied by the client's own workspace edit.
//
// Guarantees: no agent starts from a code action, a hover or a resolve; an edit names the document's version where it is open and null where it
// is closed, does not overlap, is never empty and has every annotation defined; a client's word about an edit is not believed but read back,
// page by page; a page with unsaved text is never written on disk from here; a handler that panics answers one error and the server lives;
// nothing but framed messages is written to the stream; when Serve returns, the runs it started have been cancelled and its goroutines are gone.
//
// It does not judge changes, know agents or write pages: package wiki does, behind [Host]. It keeps no state beyond the session.
package lsp
