package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHelix drives each Helix that RIG_HELIX names in a terminal, configured by the text of its README: 25.07 can be asked (rung 3 of the
// preview ladder), 25.01 cannot, and finds the proposal among its code actions (rung 4).
func TestHelix(t *testing.T) {
	editors := needed(t, "helix", "RIG_HELIX")
	rig := build(t)
	for _, hx := range filepath.SplitList(editors) {
		t.Run(filepath.Base(filepath.Dir(hx)), func(t *testing.T) {
			h := startHelix(t, hx, rig)
			asks := !strings.Contains(version(t, hx), " 25.01")
			h.ingest(asks)
			h.acceptHunk()
			h.applyRest()
			h.undo()
			h.cancel()
			h.line(":quit-all")
			sameTree(t, "testdata/wiki", h.wiki)
		})
	}
}

// helix is a Helix at a desk.
type helix struct {
	desk
	*terminal
}

func startHelix(t *testing.T, hx, rig string) helix {
	d := newDesk(t, rig)
	d.configure(t, `{wiki: {defaultAgent: "probe"}}`)
	config := filepath.Join(d.home, "config", "helix")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "languages.toml"), []byte(fenced(t, "../helix/README.md", "toml")), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newTerminal(t, d.wiki, d.env("PATH="+filepath.Dir(rig)+":"+os.Getenv("PATH")), hx, "-v", "raw/widths.md")
	m.wait("the source", m.shows("# Widths"))
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(d.home, "cache", "helix", "helix.log")) // absent where it never started
			t.Logf("%s", log[max(0, len(log)-8000):])
		}
	})
	return helix{d, m}
}

// ingest runs the agent. Where Helix can be asked the question is answered with Review, which opens the diff; where not, the user is told that
// the proposal waits, asks for its review, and is told where the diff is.
func (h helix) ingest(asks bool) {
	h.choose("Ingest into wiki")
	if asks {
		h.wait("the question", h.shows("Discard"))
		if !strings.Contains(h.screen(), "4 pages (1 new, 3 changed); 1 refused") {
			h.t.Errorf("the question does not count:\n%s", h.screen())
		}
		h.keys("Enter") // Review, the first
	} else {
		h.wait("word that it waits", h.shows("see the code actions"))
		h.choose("Review proposal of")
		h.wait("word of where the diff is", func() bool { return len(h.diffs()) == 1 })
		h.line(":open " + h.diffs()[0])
	}
	h.wait("the diff", h.shows("ingest.diff"))
}

func (h helix) diffs() []string {
	found, err := filepath.Glob(filepath.Join(h.home, ".rig/runs/*/*/ingest.diff"))
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// acceptHunk accepts one hunk in the diff: its page is changed, no other.
func (h helix) acceptHunk() {
	h.line("/two columns")
	h.choose("Accept this hunk of concepts/emoji.md")
	h.saved("the accepted hunk", "concepts/emoji.md")
	if exists(filepath.Join(h.wiki, "sources/widths.md")) || h.same("index.md") {
		h.t.Error("more was applied than was accepted")
	}
	h.line(":open raw/widths.md")
	h.wait("the source again", h.shows("# Widths"))
}

func (h helix) applyRest() {
	h.choose("Apply proposal of")
	h.saved("the rest", "sources/widths.md", "index.md", "log.md", "concepts/emoji.md")
	h.wait("the whole run in the books", func() bool { return h.ended("applied") })
}

func (h helix) undo() {
	h.line(":open raw/widths.md")
	h.choose("Undo")
	h.press("the new page gone", func() bool {
		return !exists(filepath.Join(h.wiki, "sources/widths.md")) && slices.Equal(files(h.t, "testdata/wiki")["index.md"], files(h.t, h.wiki)["index.md"])
	}, ":", "write-all", "Enter")
}

// cancel stops an agent that does not end by itself.
func (h helix) cancel() {
	h.configure(h.t, `{wiki: {defaultAgent: "endless"}}`)
	h.choose("Ingest into wiki")
	h.choose("Cancel ingest")
	h.wait("the run cancelled", func() bool { return h.ended("cancelled") })
}

// ended tells whether a run of the desk ended so.
func (h helix) ended(state string) bool {
	records, _ := filepath.Glob(filepath.Join(h.home, ".rig/runs/*/*/run.json")) // the pattern is right
	return slices.ContainsFunc(records, func(r string) bool {
		text, err := os.ReadFile(r)
		return err == nil && bytes.Contains(bytes.ReplaceAll(text, []byte(" "), nil), []byte(`"state":"`+state+`"`))
	})
}

// saved saves all until pages are as wanted.
func (h helix) saved(what string, pages ...string) {
	h.press(what+" on disk", func() bool {
		return !slices.ContainsFunc(pages, func(p string) bool { return !h.same(p) })
	}, ":", "write-all", "Enter")
}

// same tells whether a page is as the probe means it.
func (h helix) same(page string) bool {
	got, err := os.ReadFile(filepath.Join(h.wiki, page))
	want, err2 := os.ReadFile(filepath.Join("testdata/want", page))
	return err == nil && err2 == nil && bytes.Equal(got, want)
}

// choose opens the menu of code actions and takes the one whose title begins so.
func (h helix) choose(title string) {
	h.t.Helper()
	h.press("the action "+title, h.shows(title), "Space", "a")
	for range h.above(title) {
		h.keys("Down")
	}
	h.keys("Enter")
}

// above counts the lines of the menu before a title: they start where it starts.
func (h helix) above(title string) (n int) {
	lines := strings.Split(h.screen(), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, title) })
	titles := []string{"Ingest into wiki", "Ask the wiki", "Review proposal", "Apply proposal", "Apply anyway", "Discard proposal", "Undo", "Cancel", "Lint with", "Fetch",
		"Accept", "Reject", "Apply all", "Keep mine", "Take agent"}
	column := strings.Index(lines[max(at, 0)], title)
	for at--; at >= 0 && len(lines[at]) > column; at-- {
		if !slices.ContainsFunc(titles, func(s string) bool { return strings.HasPrefix(lines[at][column:], s) }) {
			break
		}
		n++
	}
	return n
}
