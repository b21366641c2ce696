// Command rig is the language-server companion for wikis that coding agents write.
//
// It parses the command line, prints for people or as one JSON envelope, and ends with the contract's exit codes; one file a verb.
// What a verb does is package wiki's; what an editor sees is package lsp's. Only lsp and this package log, with zap, to stderr or a file.
package main
