// Package lsptest is a fake editor for tests of package lsp: a small real LSP client over a pipe.
//
// [Start] connects an [Editor] that keeps buffers, applies workspace edits like a careful editor (versions, overlaps, undefined annotations and creates
// over files are refused), plays the capabilities of a [Profile], records every message, and checks each message of the server against the
// protocol's own model, strictly: unknown methods, unknown or missing properties and wrong types fail the test.
//
// It frames and decodes by itself, apart from the libraries that the server uses. It does not judge what a run made.
package lsptest
