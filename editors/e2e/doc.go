// Package e2e drives real editors over a real wiki: it builds rig, lays out a wiki, starts the editor with the plug-in
// of this repository and does what a person would do.
//
// It guarantees that what an editor leaves on disk after a save is byte for byte what was accepted, and that an undo
// brings the bytes back. It does not test the server's answers one by one (lsp does), nor the look of an editor.
//
// The tests need an editor: RIG_NVIM and RIG_HELIX list programs, separated as in PATH; RIG_EMACS is one; RIG_VSCODE is what vscode-install made, and
// RIG_VSIX the packaged extension. Without them they are skipped, unless RIG_REQUIRE contains nvim, helix, emacs or vscode.
package e2e
