package adapters

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMarkers(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Marker
	}{
		{"all good\nINGEST DONE: embed", []Marker{{Ingested, "embed"}}},
		{"INGEST DONE: embed\r\n", []Marker{{Ingested, "embed"}}},
		{"INGEST DONE: <slug>", nil},
		{"INGEST DONE:", nil},
		{" INGEST DONE: embed", nil},
		{"see `INGEST DONE: x`", nil},
		{"NOT READY: the source is empty", []Marker{{NotReady, "the source is empty"}}},
		{"NOT READY: <reason>", nil},
		{"PR REVIEW: APPROVE", []Marker{{PRReview, "APPROVE"}}},
		{"PR REVIEW: REQUEST CHANGES, see below", []Marker{{PRReview, "REQUEST CHANGES, see below"}}},
		{"PR REVIEW: APPROVE|REQUEST CHANGES", nil},
		{"PR REVIEW: maybe", nil},
		{"**PR REVIEW: APPROVE**\r\n", []Marker{{PRReview, "APPROVE"}}},
		{"**PR REVIEW:** REQUEST CHANGES because", []Marker{{PRReview, "REQUEST CHANGES because"}}},
		{"PR REVIEW: **REQUEST CHANGES** `a.go` leaks", []Marker{{PRReview, "REQUEST CHANGES a.go leaks"}}},
		{"## **NOT READY**: no *such* file", []Marker{{NotReady, "no *such* file"}}},
		{"__NOT READY: why__", []Marker{{NotReady, "why"}}},
		{"`NOT READY: why`", []Marker{{NotReady, "why"}}},
		{"NOT READY: see `x`", []Marker{{NotReady, "see `x`"}}},
		{"NOT READY: see *x*", []Marker{{NotReady, "see *x*"}}},
		{"PR REVIEW: *APPROVE*", []Marker{{PRReview, "APPROVE"}}},
		{"PR REVIEW: _REQUEST CHANGES_: the lock leaks\r\n", []Marker{{PRReview, "REQUEST CHANGES: the lock leaks"}}},
		{"*PR REVIEW: APPROVE*", []Marker{{PRReview, "APPROVE"}}},
		{"***PR REVIEW: APPROVE***", []Marker{{PRReview, "APPROVE"}}},
		{"### PR REVIEW: REQUEST CHANGES  ", []Marker{{PRReview, "REQUEST CHANGES"}}},
		{"PR REVIEW: APPROVE or REQUEST CHANGES", nil},
		{"PR REVIEW: APPROVE / REQUEST CHANGES", nil},
		{"PR REVIEW: REQUEST CHANGES or APPROVE", nil},
		{"**PR REVIEW:** `APPROVE` | `REQUEST CHANGES`", nil},
		{"PR REVIEW: APPROVE, the changes that were requested are in", []Marker{{PRReview, "APPROVE, the changes that were requested are in"}}},
		{"\ufeffNOT READY: no schema", []Marker{{NotReady, "no schema"}}},
		{"NOT READY: <reason>\nNOT READY: it is done already", []Marker{{NotReady, "it is done already"}}},
		{"ADDRESSED: <comment, and what you did or why not>\r\n**ADDRESSED:** the name\r\nADDRESSED: the lock", []Marker{{Addressed, "the name"}, {Addressed, "the lock"}}},
		{"**NOT READY:** <reason>", nil},
		{"`NOT READY: <reason>`", nil},
		{"NOT READY: `<reason>`", nil},
		{"* NOT READY: an item", nil},
		{"NOT READY", nil},
		{"PR REVIEW: <APPROVE or REQUEST CHANGES>", nil},
		{"> NOT READY: quoted", nil},
		{"RELEVANCE REVIEW: still relevant\nADDRESSED: yes", []Marker{{Relevance, "still relevant"}, {Addressed, "yes"}}},
	} {
		if got := Markers(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.text, got, c.want)
		}
	}
}

func TestAsksBack(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                  false,
		"Done.":                             false,
		"Shall I go on?":                    true,
		"Which one?\n\n":                    true,
		"**Shall I go on?**":                true,
		"続けますか？":                            true,
		"What is it? It is a page.":         false,
		"Shall I?\n\nINGEST DONE: x":        false,
		"```\nwhat?\n```":                   false,
		"Is it so?\n```\ncode\n```\n":       false,
		"He asked \"why?\"":                 true,
		"- [ ] open question left for you?": true,
		"Which one do you want?\n1. this\n2. that\n":                          true,
		"Two pages fit. Which one do you want?\n\n- roses\n- thorns\n":        true,
		"Which one?\n\n1) roses\n2) thorns\n\nLet me know.":                   true,
		"Shall I merge them? Let me know.":                                    true,
		"Shall I merge them?\n\nPlease let me know which you prefer.":         true,
		"**Shall I merge them?** Please confirm.":                             true,
		"Which one do you want?\n\nA. roses\nB. thorns":                       true,
		"Which one?\n(a) roses\n(b) thorns":                                   true,
		"How shall it be?\n\n**Option A**: one page\n**Option B**: two":       true,
		"Should I go on? I'll wait for your answer.":                          true,
		"どれにしますか？\n1. バラ\n2. とげ":                                              true,
		"Which?\r\n\r\n* roses\r\n* thorns\r\n":                               true,
		"I wrote a page. Let me know.":                                        false,
		"Let me know.":                                                        false,
		"I changed:\n- roses\n- thorns":                                       false,
		"Done. Let me know if something is missing.":                          false,
		"# What is a rose?\n\nA flower.\n\n- red\n- white":                    false,
		"What is a rose? A flower:\n- red\n- white":                           false,
		"Why is it so?\n\nBecause the lock leaks.":                            false,
		"I asked which one?\n1. this\nI took this.":                           false,
		"Which one?\n1. this\n2. that\n\nI took the first.":                   false,
		"Which one?\n1. this\n2. that\nINGEST DONE: this":                     false,
		"The page answers \"why?\" and \"how?\" now.":                         false,
		"```\nWhich one?\n```\n1. this":                                       false,
		"Which one?\n```\n1. this\n```":                                       false,
		"Thank you.":                                                          false,
		"What changed?\n- roses\n- thorns":                                    false,
		"## Which pages?\n- roses\n- thorns":                                  false,
		"1. this\n2. that":                                                    false,
		"- see https://example.org/?q=1":                                      false,
		"Why? The lock leaks. Please confirm the order with [[locks]] anyway": false,
		"\r\n \r\n": false,
	} {
		if got := AsksBack(text); got != want {
			t.Errorf("AsksBack(%q) = %v", text, got)
		}
	}
}

func TestCapped(t *testing.T) {
	e := Event{Kind: "hologram", Summary: strings.Repeat("温", 400), File: "a\nb\x07", Cmd: strings.Repeat("x", 500), Detail: strings.Repeat("d\n", 900) + "\xff"}.Capped()
	if e.V != 1 || e.Kind != "other" || e.File != "a b" {
		t.Errorf("got %+v", e)
	}
	for name, c := range map[string]struct {
		s string
		n int
	}{"summary": {e.Summary, 300}, "cmd": {e.Cmd, 240}, "detail": {e.Detail, 900}} {
		if n := utf8.RuneCountInString(c.s); n != c.n || !strings.HasSuffix(c.s, "…") || !utf8.ValidString(c.s) {
			t.Errorf("%s: %d characters, %.20q", name, n, c.s[len(c.s)-20:])
		}
	}
	if e := (Event{Kind: "edit", Summary: strings.Repeat("x", 300)}).Capped(); len(e.Summary) != 300 {
		t.Errorf("a summary of exactly 300 was cut")
	}
}

func TestLive(t *testing.T) { // o-ev-04
	var l Live
	line := func() string {
		e, _ := l.Line("s")
		return e.Cmd
	}
	l.Add(Event{Session: "s", Kind: "session"})
	run := Event{Session: "s", Kind: "test", Cmd: "npm test", Running: true}
	if got := l.Add(run); got != nil || line() != "npm test" {
		t.Errorf("running: stored %v, live %q", got, line())
	}
	l.Add(run)
	stored := l.Add(Event{Session: "s", Kind: "end"})
	if len(stored) != 2 || stored[0].OK != nil || stored[0].Running || stored[0].Detail != "did not finish" || line() != "" {
		t.Errorf("end: %+v, live %q", stored, line())
	}
	if l.Add(run); line() != "" {
		t.Error("an event after the end opened the session again")
	}
}
