// Package lint finds what is wrong in a wiki's pages: links that lead nowhere or further than they say, front matter that cannot be read, pages
// that nothing links to, an index that has drifted, names that collide.
//
// Guarantees: deterministic (same pages, same findings in the same order), read-only, quick enough for one page to run on each keystroke; a
// finding has a byte range, and fixes where the right text is known. The same findings in a terminal, an editor and on a proposal, since all of
// them ask an index: for a proposal one with the new pages as buffers.
//
// It judges no change (package wiki's policy does), asks no model, and does not look at what is the human's: raw/, purpose.md, the schema.
package lint
