// Package wiki is the host: what a wiki is, what each operation may do, and the order of doing it.
//
// [Find] finds a wiki from a file, [LoadConfig] reads its configuration, [Host.Run] runs one operation: lock, layer, confine, plan, run, judge, propose.
// [Judge] is the policy: each change is kept, flagged or refused by a named rule.
//
// Guarantees: nothing reaches the user's pages from here; a run ends in exactly one state of the design's table; what was refused is told with
// path, rule and reason; a wiki's own files may narrow what runs, never widen it.
//
// It knows no editor protocol and logs nothing; it returns what happened.
package wiki
