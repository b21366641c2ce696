// Package diff compares, merges and prints texts by lines.
//
// [Lines] is a minimal, fast and bounded line differ (Myers' linear-space algorithm after trimming common ends and lines that
// occur on one side only, with a cap on cost); [Merge] is a three-way merge by whole lines; [Print], [Parse], [Apply] and [Reverse]
// read and write unified diffs, with go-diff as the model, printer and reverser, and as the parser of one hunk at a time (what it reads
// wrongly in v0.10.0 is kept from it: names with blanks at their ends, content that looks like a header, translated marks). [Pair]
// finds renames as git does.
//
// Guarantees: bytes stay bytes: a line ends at LF only, and CR, a byte order mark, U+2028 and a missing last newline are kept.
// Applying what was printed gives the new text exactly, for any pair of texts and any file name without a zero byte. Decisions about changes are never made
// on diff text (see package sandbox): the text is for people, for other tools and for import.
//
// It does not know what a page is and never touches the file system.
package diff
