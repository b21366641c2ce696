// Package proposal keeps what runs proposed, and applies, discards and undoes it.
//
// A [Store] holds the runs of one wiki, a folder each: the record (run.json), the texts by sha256, the diffs, the receipts and, while a write is
// under way, its journal. [Store.Plan] turns a selection of pages and hunks into the exact edits of the current texts (three-way by lines where a page
// moved on); [Store.Apply] writes them, [Store.Note] records what an editor wrote, [Store.PlanUndo] plans the way back.
//
// Guarantees: this package's apply is the one place that writes to the user's pages when no editor does. Each file is replaced atomically after its current
// sha256 was checked; a kill at any point leaves each page old or new, and [Store.Recover] finishes or rolls back; accepted bytes are the
// applied bytes, and the receipt proves it; an undo keeps later edits; texts are never written through a link that leaves the wiki.
//
// It does not judge changes (package wiki's policy does), knows no editor and runs no agent.
package proposal
