// Package index knows a wiki's pages and how they link: names, titles, aliases, headings, front matter, wikilinks and markdown links, and search.
//
// Guarantees: Obsidian's and CommonMark's link rules (aliases, headings, embeds, escaped pipes in tables; code, comments and math are no links;
// names compared after NFC and case folding); a buffer overrides the disk at once; opening costs no time in proportion to the pages where the
// kept index is current; a broken or older index file is rebuilt and that is said, never fatal; only regular files are opened.
//
// On disk, in a cache folder of its own: "names", a mapped list of what is there with the stat identity of each page and folder, sorted keys for
// names, aliases and ideas; and segments, never changed once written, with the links and texts of some pages each, and their search terms in a
// file beside. A first build lays out names and links, then the index can be asked; the search terms follow when they are needed, from the
// texts that were kept. A refresh writes what changed to a new segment and lays out names anew; readers keep what they have mapped. Nothing of
// it is needed: a folder that is deleted, broken or shared with other processes costs time only.
//
// It judges nothing (package wiki's policy and wiki/lint do), writes no page and knows no editor; positions are byte offsets.
package index
