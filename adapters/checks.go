package adapters

import (
	"fmt"
	"regexp"
	"strings"
)

// A Check is one of a project's own: what its people call a test. It comes from a `checks` file, one a line, `label: pattern` (the task board's form).
type Check struct {
	Label string
	re    *regexp.Regexp // of the commands that are it
}

// maxCheckLines bounds a `checks` file.
const maxCheckLines = 200

// ReadChecks reads a `checks` file: a label and a pattern a line, in the dialect that Go has in common with Python and JavaScript (RE2: no look-around, no
// back references). Empty lines and those that begin with # say nothing. What cannot be read is told by line number and left out.
func ReadChecks(text []byte) (checks []Check, bad []string) {
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if len(checks)+len(bad) == maxCheckLines {
			return checks, append(bad, fmt.Sprintf("what follows line %d is too much", n))
		}
		label, pattern, ok := strings.Cut(line, ":")
		label, pattern = strings.TrimSpace(label), strings.TrimSpace(pattern)
		if !ok || label == "" || pattern == "" {
			bad = append(bad, fmt.Sprintf("line %d is no `label: pattern`", n))
			continue
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			bad = append(bad, fmt.Sprintf("line %d, %s: %v", n, capped(label, capShort), err))
			continue
		}
		checks = append(checks, Check{label, re})
	}
	return checks, bad
}

// Checked is e as the project's checks make it: a command that one of them matches, anywhere, is a test.
func (e Event) Checked(checks []Check) Event {
	if e.Cmd == "" {
		return e
	}
	for _, c := range checks {
		if c.re.MatchString(bareCommand(e.Cmd)) {
			e.Kind = "test"
			return e
		}
	}
	return e
}

// verdictRules are what test programs print of their end, failures first.
var verdictRules = []struct {
	re func() *regexp.Regexp
	ok bool
}{
	{lazyRE(`(?i)\b[1-9]\d* (tests? )?(failed|failures?|failing|errors?|broken)\b|(?m)^(--- )?FAIL(ED|URES?!?)?\b|\btest result: FAILED\b`), false},
	{lazyRE(`(?i)\b\d+ (tests? )?(passed|passing)\b|\b0 (failed|failures|errors|broken)\b|(?m)^(ok|PASS)\b|(?m)^OK\b|\btest result: ok\b`), true},
}

// Judged is a completed test as its output has it where its exit status says nothing: none was told, or the last command of a pipe had it.
func (e Event) Judged() Event {
	if e.Kind != "test" || e.Running || e.OK != nil && (!*e.OK || !strings.ContainsAny(bareCommand(e.Cmd), "|;")) {
		return e
	}
	for _, r := range verdictRules {
		if r.re().MatchString(e.Detail) {
			e.OK = truth(r.ok)
			break
		}
	}
	return e
}
