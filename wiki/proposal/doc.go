// Package proposal keeps what runs proposed, and applies, discards and undoes it.
//
// A [Store] holds the runs of one wiki, a folder each: the record (run.json), the texts by sha256, the diffs, the receipts; while a write is
// under way, its journal lies beside them in .journals. [Store.Plan] turns a selection of pages and hunks into the exact edits of the current texts (three-way by lines where a page
// moved on); [Store.Apply] writes them, [Store.Note] records what an editor wrote and [Store.Amend] what was seen of it later; [Store.Discard] drops
// what is not wanted, [Store.PlanUndo] plans the way back, [Store.Recover] finishes what a kill interrupted.
//
// What a decision can be about is a part: a hunk, the move of a page that is also edited, or a change without hunks as a whole. Parts are
// waiting, accepted or rejected; the state of a run follows from its parts.
//
// Guarantees: this package's apply is the one place that writes to the user's pages when no editor does. Each file is replaced atomically after its current
// sha256 was checked, and where the system can swap names (Linux) what was swapped out is checked again, so that a save in that very instant is kept; a
// kill at any point leaves each page old or new, and Recover finishes; accepted bytes are the applied bytes, and the receipt proves it; an
// undo keeps later edits; texts are never written through a link that leaves the wiki; several processes may use one folder at once.
//
// It does not judge changes (package wiki's policy does), knows no editor and runs no agent. A page's mode is kept and, where we may, its owner;
// extended attributes and the other names of a hard link are not.
package proposal
