// Package builtin is an agent without a model and without network: it ingests a source and answers a question by extraction.
//
// It runs as a process of its own, our binary under another verb, so that the host treats it like every other agent: [Main] reads a
// [Job] from standard input, works in the job's folder, and prints JSON lines, events first, one result last.
//
// Ingest writes sources/<slug>.md (the true sha256 of the source, the sentences that stand for the whole, key terms, links to the pages
// that the text really mentions), a concept page only where the source itself says what its central term is, and one entry each in
// index.md and log.md, in the style that those files have. Query picks sentences of pages and cites them. Sentences are chosen by LexRank
// (Erkan and Radev, "LexRank: Graph-based Lexical Centrality as Salience in Text Summarization", JAIR 22, 2004) with a prior for
// sentences near the title's words (Otterbacher, Erkan and Radev, "Biased LexRank", IPM 45, 2009) and without repeating itself
// (Carbonell and Goldstein, "MMR", SIGIR 1998); terms by C-value (Frantzi, Ananiadou and Mima, IJDL 3, 2000).
//
// Guarantees: the same job over the same folder gives the same bytes (dates come from the job); no sentence is invented; text that others
// wrote in a page is kept; line ends and the missing last newline of a file are kept.
//
// It understands nothing: it finds no contradictions and asks no questions. It says so in the pages that it writes.
package builtin
