// Package adapters translates between the host and coding agents: a grant into a vendor's flags and rules, a vendor's output
// stream into events and an outcome.
//
// An [Adapter] detects its command-line program, plans an invocation (pure: argv, environment, stdin, files, nothing started), decodes
// the stream that the program prints, and wires interactive sessions. Built in are claude, codex, opencode, pi, acp and builtin;
// a folder with the executables "run" and "wire" is a directory adapter (see [Registry]).
//
// Guarantees: prompts never travel as an argv element that can grow (codex takes system texts up to 16 KiB there, longer ones lead its prompt); no secret stands in argv; an outcome is judged from the stream's own
// terminal event, error flags and denials, not from an exit status alone; unknown event kinds and fields pass.
//
// It starts no run (package sandbox does; Detect may ask a program for its version), does not know what a wiki is and decides nothing about changes.
package adapters
