// Package index knows a wiki's pages and how they link: names, titles, aliases, headings, front matter, wikilinks and markdown links, and search.
//
// Guarantees: Obsidian's and CommonMark's link rules (aliases, headings, embeds, escaped pipes in tables; code, comments and math are no links;
// names compared after NFC and case folding); a buffer overrides the disk at once; opening costs no time in proportion to the pages where the
// kept index is current; a broken or older index file is rebuilt and that is said, never fatal; only regular files are opened.
//
// It judges nothing (package wiki's policy and wiki/lint do), writes no page and knows no editor; positions are byte offsets.
package index
