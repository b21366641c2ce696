package adapters

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kinds are the kinds of schema v1 in the order of the design's section 9. "report" is the host's own.
func Kinds() []string {
	return []string{"session", "end", "idle", "edit", "read", "search", "command", "test", "check", "git", "plan", "subagent", "web", "other", "report"}
}

// The caps of section 9, in characters.
const (
	capShort  = 300 // summary, file
	capCmd    = 240
	capDetail = 900
)

// Capped returns e as it may be stored and sent on: version 1, a known kind, valid UTF-8, no control characters in one-line fields,
// every text cut to its cap (with "…" as the last character where something was cut).
func (e Event) Capped() Event {
	e.V = 1
	e.Kind = knownKind(e.Kind)
	e.Session = capped(oneLine(e.Session), capShort)
	e.Summary = capped(oneLine(e.Summary), capShort)
	e.File = capped(oneLine(e.File), capShort)
	e.Cmd = capped(oneLine(e.Cmd), capCmd)
	e.Detail = capped(plainText(e.Detail), capDetail)
	e.Agent = capped(oneLine(e.Agent), capShort)
	e.Task = capped(oneLine(e.Task), capShort)
	return e
}

func knownKind(k string) string {
	for _, known := range Kinds() {
		if k == known {
			return k
		}
	}
	return "other"
}

// capped cuts s to n characters.
func capped(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	at, seen := 0, 0
	for at = range s {
		if seen == n-1 {
			break
		}
		seen++
	}
	return s[:at] + "…"
}

// oneLine makes s fit for a status line: valid UTF-8, on one line, without what moves a terminal's cursor or turns the direction of writing. Only the part that can
// survive a cap is looked at.
func oneLine(s string) string {
	if len(s) > 4*capShort+utf8.UTFMax {
		s = s[:4*capShort+utf8.UTFMax]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// plainText is a text of several lines, valid UTF-8, without escapes that a terminal would obey. Only the part that can survive a cap is looked at.
func plainText(s string) string {
	if len(s) > 4*capDetail+utf8.UTFMax {
		s = s[:4*capDetail+utf8.UTFMax]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Bounds of what a Live keeps: sessions, and what runs at once in one.
const (
	maxSessions = 4096
	maxRunning  = 256
)

// Live follows running events to their ends: it is the live line of one or more sessions (section 9, case o-ev-04).
// The zero value is ready. It is not safe for concurrent use.
type Live struct {
	running map[string][]Event
	ended   map[string]bool
}

// Add takes an event in arrival order and returns what is to be stored: the event itself unless it is running, preceded by the
// running events that it leaves without an end (their OK is nil and their detail says "did not finish").
func (l *Live) Add(e Event) []Event {
	if l.running == nil {
		l.running, l.ended = map[string][]Event{}, map[string]bool{}
	}
	if len(l.running) > maxSessions || len(l.ended) > maxSessions { // whoever makes up that many names gets no live lines
		clear(l.running)
		clear(l.ended)
	}
	open := l.running[e.Session]
	if e.Running {
		if !l.ended[e.Session] && len(open) < maxRunning && !hasSame(open, e) {
			l.running[e.Session] = append(open, e)
		}
		return nil
	}
	var out []Event
	switch e.Kind {
	case "end", "idle":
		out = unfinished(open)
		delete(l.running, e.Session)
		l.ended[e.Session] = e.Kind == "end"
	default:
		l.running[e.Session] = without(open, e)
	}
	return append(out, e)
}

// Rest completes what is still running in any session, as unknown: nothing more will come.
func (l *Live) Rest() []Event {
	var out []Event
	for _, s := range slices.Sorted(maps.Keys(l.running)) {
		out = append(out, unfinished(l.running[s])...)
	}
	clear(l.running)
	return out
}

// unfinished are running events that have no end.
func unfinished(open []Event) []Event {
	out := slices.Clone(open)
	for i := range out {
		out[i].Running, out[i].OK, out[i].Detail = false, nil, "did not finish"
	}
	return out
}

// Line is the newest running event of a session, or none.
func (l *Live) Line(session string) (Event, bool) {
	open := l.running[session]
	if len(open) == 0 {
		return Event{}, false
	}
	return open[len(open)-1], true
}

func same(a, b Event) bool { return a.Kind == b.Kind && a.File == b.File && a.Cmd == b.Cmd }

func hasSame(list []Event, e Event) bool {
	for _, o := range list {
		if same(o, e) && o.Summary == e.Summary {
			return true
		}
	}
	return false
}

// without drops the first running event that e completes.
func without(list []Event, e Event) []Event {
	for i, o := range list {
		if same(o, e) {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}
