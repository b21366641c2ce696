package proposal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/sandbox/diff"
)

// texts makes random texts of few different lines, so that changes meet, repeat and touch; now and then with CRLF or without a last LF.
type texts struct {
	*rand.Rand
	mine int // lines of the user are told apart by number
}

func (r *texts) base() string {
	var b strings.Builder
	for range r.IntN(40) {
		fmt.Fprintf(&b, "%c%s", 'a'+rune(r.IntN(8)), []string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)])
	}
	return r.end(b.String())
}

func (r *texts) end(text string) string {
	if r.IntN(4) == 0 {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

// edit changes some lines.
func (r *texts) edit(text string, changes int) string {
	lines := strings.SplitAfter(text, "\n")
	for range changes {
		i := r.IntN(len(lines))
		switch r.IntN(3) {
		case 0:
			lines[i] = fmt.Sprintf("%c%c\n", 'a'+rune(r.IntN(8)), 'A'+rune(r.IntN(3)))
		case 1:
			lines[i] = ""
		default:
			lines[i] = fmt.Sprintf("%c\n", 'a'+rune(r.IntN(8))) + lines[i]
		}
	}
	return r.end(strings.Join(lines, ""))
}

// types adds lines that nobody else writes.
func (r *texts) types(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + r.IntN(2) {
		i := r.IntN(len(lines))
		r.mine++
		lines[i] = fmt.Sprintf("user %d\n", r.mine) + lines[i]
	}
	return strings.Join(lines, "")
}

func userLines(text string) []string {
	var list []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.Contains(line, "user ") {
			list = append(list, line)
		}
	}
	return list
}

// seeded runs a property over fresh seeds; the seed of a failure is told.
func seeded(t *testing.T, runs int, check func(t *testing.T, f *fixture, r *texts)) {
	f := newQuickFixture(t, nil)
	start := uint64(time.Now().UnixNano())
	for i := range uint64(runs) {
		check(t, f, &texts{Rand: rand.New(rand.NewPCG(start+i, 7))})
		if t.Failed() {
			t.Fatalf("seed %d", start+i)
		}
	}
}

// decide accepts or rejects the hunks of a run in random order, some at a time; before each it calls meanwhile. It gives what was accepted.
func (f *fixture) decide(r *texts, run string, meanwhile func()) map[string]bool {
	accepted := map[string]bool{}
	ids := f.hunkIDs(run, Waiting)
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for len(ids) > 0 {
		meanwhile()
		n := 1 + r.IntN(min(2, len(ids)))
		some := ids[:n]
		ids = ids[n:]
		if r.IntN(3) == 0 {
			if err := f.Discard(run, Selection{Hunks: some}, "no", "editor"); err != nil {
				f.Fatal(err)
			}
			continue
		}
		plan := f.plan(run, Selection{Hunks: some})
		if len(plan.Conflicts) > 0 {
			continue
		}
		f.carry(plan)
		for _, id := range some {
			accepted[id] = true
		}
	}
	return accepted
}

// Without other edits the page is the base with just the accepted hunks, whatever the order; and the undo gives the base.
func TestAnyOrderEqualsTheModel(t *testing.T) {
	seeded(t, 400, func(t *testing.T, f *fixture, r *texts) {
		base := r.base()
		agent := r.edit(base, 1+r.IntN(8))
		if base == agent {
			return
		}
		f.put("p.md", base)
		run := f.proposeStep(map[string]string{"p.md": base}, map[string]string{"p.md": agent})
		accepted := f.decide(r, run, func() {})
		want := diff.Select([]byte(base), []byte(agent), func(h diff.Hunk) bool { return accepted["p.md#"+h.ID] })
		if got := f.text("p.md"); got != string(want) {
			t.Errorf("base %q\nagent %q\naccepted %v\ngot %q\nwant %q", base, agent, accepted, got, want)
		}
		if len(accepted) > 0 {
			f.undo(run)
		}
		if got := f.text("p.md"); got != base {
			t.Errorf("base %q\nagent %q\naccepted %v\nafter undo %q", base, agent, accepted, got)
		}
	})
}

// Whatever the user types in between, at any place, stays, and what was rejected never comes; also after an undo.
func TestNoEditOfTheUserIsLost(t *testing.T) {
	conflicts, undone := 0, 0
	seeded(t, 400, func(t *testing.T, f *fixture, r *texts) {
		base := r.base()
		agent := r.edit(base, 1+r.IntN(6))
		if base == agent {
			return
		}
		shared := [][]string{nil, {"p.md"}}[r.IntN(2)]
		f.put("p.md", base)
		run := f.proposeStep(map[string]string{"p.md": base}, map[string]string{"p.md": agent}, shared...)
		kept := func(when string, want []string) {
			if got := userLines(f.text("p.md")); len(got) != len(want) || strings.Join(got, "") != strings.Join(want, "") {
				t.Errorf("%s: the user's lines are %q, were %q\nbase %q\nagent %q\nnow %q", when, got, want, base, agent, f.text("p.md"))
			}
		}
		var typed []string
		f.decide(r, run, func() {
			if typed != nil {
				kept("after a decision", typed)
			}
			f.put("p.md", r.types(f.text("p.md")))
			typed = userLines(f.text("p.md"))
		})
		kept("after all decisions", typed)
		f.put("p.md", r.types(f.text("p.md")))
		typed = userLines(f.text("p.md"))
		plan, err := f.PlanUndo(run, OnDisk(f.wiki))
		if err != nil {
			return // nothing was accepted
		}
		conflicts += len(plan.Conflicts)
		if len(plan.Files)+len(plan.Settled) > 0 {
			undone++
			f.carry(plan)
		}
		kept("after the undo", typed)
	})
	if undone == 0 || conflicts == 0 {
		t.Errorf("%d undone, %d conflicts: the texts do not try both", undone, conflicts)
	}
}

// An undo with no later edits restores the bytes, the user's earlier edits included.
func TestUndoWithoutLaterEditsIsExact(t *testing.T) {
	seeded(t, 400, func(t *testing.T, f *fixture, r *texts) {
		base := r.base()
		agent, mine := r.edit(base, 1+r.IntN(6)), r.types(base)
		if base == agent {
			return
		}
		f.put("p.md", mine)
		run := f.proposeStep(map[string]string{"p.md": base}, map[string]string{"p.md": agent})
		before := f.tree()
		if f.decide(r, run, func() {}); len(f.hunkIDs(run, Accepted)) > 0 {
			foreseen := f.undoDiff(run)
			f.undo(run)
			if did := f.undoDiff(run); did != foreseen {
				t.Errorf("undo.diff said\n%s\nand was\n%s", foreseen, did)
			}
		}
		if got := f.tree(); !maps.Equal(got, before) {
			t.Errorf("base %q\nagent %q\nmine %q\nafter undo %q", base, agent, mine, got["p.md"])
		}
	})
}

func (f *fixture) undoDiff(run string) string {
	f.Helper()
	text, err := os.ReadFile(filepath.Join(f.Dir(run), undoDiff))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // what the user had typed before changes nothing, and has no diff
		f.Fatal(err)
	}
	return string(text)
}

// Two proposals on one list, applied in turn and taken back in any order, lose no entry of each other.
func TestTwoProposalsOnOneList(t *testing.T) {
	seeded(t, 300, func(t *testing.T, f *fixture, r *texts) {
		base := r.base()
		f.put("log.md", base)
		var runs []string
		for i := range 2 {
			entry := fmt.Sprintf("\n## day\n- entry %d\n", i)
			made := base
			if len(made) > 0 && !strings.HasSuffix(made, "\n") {
				made += "\n"
			}
			runs = append(runs, f.proposeStep(map[string]string{"log.md": base}, map[string]string{"log.md": r.end(made + entry)}, "log.md"))
		}
		for i, run := range runs {
			f.apply(run, Selection{})
			for j := range i + 1 {
				if !bytes.Contains([]byte(f.text("log.md")), fmt.Appendf(nil, "- entry %d", j)) {
					t.Errorf("base %q: entry %d is lost: %q", base, j, f.text("log.md"))
				}
			}
		}
		first := r.IntN(2)
		if plan := f.undo(runs[first]); len(plan.Conflicts) > 0 {
			t.Errorf("base %q: undo of %d: %+v", base, first, plan.Conflicts)
		}
		if text := f.text("log.md"); strings.Contains(text, fmt.Sprintf("entry %d", first)) || !strings.Contains(text, fmt.Sprintf("- entry %d", 1-first)) {
			t.Errorf("base %q: after the undo of %d: %q", base, first, text)
		}
		f.undo(runs[1-first])
		if got := f.text("log.md"); strings.TrimSuffix(got, "\n") != strings.TrimSuffix(base, "\n") {
			t.Errorf("base %q: after both undos %q", base, got)
		}
	})
}
