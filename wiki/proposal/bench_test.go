package proposal

import (
	"fmt"
	"io"
	"os"
	"testing"
)

// thousand is a proposal of 1,000 changed pages of 60 lines, three hunks each (issue 5).
func thousand(b *testing.B) (*fixture, string) {
	f := newFixture(b, nil)
	var drafts []Draft
	for i := range 1000 {
		name := fmt.Sprintf("concepts/page-%04d.md", i)
		f.put(name, long())
		drafts = append(drafts, Draft{File: File{Path: name, Kind: Edited}, BaseText: []byte(long("line 60", name)),
			NewText: []byte(long("line 60", name, "line 10", "ten "+name, "line 30", "thirty", "line 50", "fifty"))})
		f.put(name, long("line 60", name))
	}
	return f, f.keep(drafts)
}

func BenchmarkThousandPages(b *testing.B) {
	f, run := thousand(b)
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			if plan, err := f.Plan(run, Selection{}, OnDisk(f.wiki)); err != nil || len(plan.Files) != 1000 {
				b.Fatal(err, len(plan.Files))
			}
		}
	})
	b.Run("show", func(b *testing.B) {
		for b.Loop() {
			if shown, err := f.Show(run); err != nil || len(shown.Files) != 1000 {
				b.Fatal(err)
			}
		}
	})
	b.Run("diff", func(b *testing.B) {
		for b.Loop() {
			if err := f.Diff(run, io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
	n := 0
	next := func(b *testing.B) (string, Plan) {
		name := fmt.Sprintf("concepts/page-%04d.md", n%1000)
		plan, err := f.Plan(run, Selection{Hunks: []string{fmt.Sprintf("%s#%d", name, n/1000+1)}}, OnDisk(f.wiki))
		if err != nil {
			b.Fatal(err)
		}
		n++
		return name, plan
	}
	b.Run("accept a hunk in an editor", func(b *testing.B) {
		for b.Loop() {
			name, plan := next(b)
			if _, err := f.Note(run, plan, "editor", []ReceiptFile{{Path: name, Word: WordApplied}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("accept a hunk on disk", func(b *testing.B) {
		for b.Loop() {
			_, plan := next(b)
			if _, err := f.Apply(plan, "cli"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.Load(run); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("save", func(b *testing.B) {
		rec := f.record(run)
		for b.Loop() {
			if err := f.Save(rec); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkApplyThousandPages(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		f, run := thousand(b)
		plan, err := f.Plan(run, Selection{}, OnDisk(f.wiki))
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := f.Apply(plan, "cli"); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := os.RemoveAll(f.wiki); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
