package proposal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder goes with its last page, whoever wrote; one that holds anything, or that the wiki keeps, stays. An undo brings it back.
func TestLastPageOfAFolder(t *testing.T) {
	before := map[string]string{
		"a/b/only.md": "only\n", "two/x.md": "x\n", "two/y.md": "y\n", "kept/.gitkeep": "", "kept/z.md": "z\n", "from/m.md": "moves\n",
		"concepts/last.md": "last\n", "other/p.md": "p\n", "swap/old.md": "old\n",
	}
	after := map[string]string{"two/y.md": "y\n", "kept/.gitkeep": "", "to/m.md": "moves\n", "other/p.md": "P\n", "swap/new.md": "something else\n"}
	want := map[string]string{"two/y.md": "y\n", "kept/.gitkeep": "", "to/m.md": "moves\n", "concepts/": "", "other/p.md": "P\n", "swap/new.md": "something else\n"}
	for name, write := range map[string]func(f *fixture, plan Plan){
		"apply": func(f *fixture, plan Plan) { f.carry(plan) },
		"note": func(f *fixture, plan Plan) {
			var results []ReceiptFile
			for _, p := range plan.Files {
				switch p.Kind {
				case Delete:
					f.del(p.Path)
				case Rename:
					f.del(p.From)
					f.put(p.Path, string(p.After))
				default:
					f.put(p.Path, string(p.After))
				}
				sum, err := f.PutText(plan.Run, p.After)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, ReceiptFile{Path: p.Path, Word: WordApplied, Applied: sum})
			}
			if _, err := f.Note(plan.Run, plan, "editor", results); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, before)
			f.Store.keeps = func(path string) bool { return path == "concepts" }
			was := f.tree()
			run := f.propose(after)
			write(f, f.plan(run, Selection{Flagged: true}))
			f.wantTree(want)
			f.undo(run)
			if got := f.tree(); !mapsEqual(got, was) {
				t.Errorf("after the undo %v\nwant %v", got, was)
			}
		})
	}
}

// A folder that is a link, or that another program puts something into meanwhile, stays, and with it what it holds.
func TestEmptiedIsNeverRemovedWithSomethingInIt(t *testing.T) {
	f := newFixture(t, map[string]string{"real/p.md": "p\n", "busy/q.md": "q\n", "busy/sub/r.md": "r\n"})
	f.link("real", "linked")
	var drafts []Draft
	for name, text := range map[string]string{"linked/p.md": "p\n", "busy/q.md": "q\n", "busy/sub/r.md": "r\n"} {
		drafts = append(drafts, Draft{File: File{Path: name, Kind: Delete}, BaseText: []byte(text)})
	}
	run := f.keep(drafts)
	f.Store.step = func(name string) {
		if name == "taken away" {
			if err := os.WriteFile(filepath.Join(f.wiki, "busy", "notes.txt"), []byte("typed now"), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	f.apply(run, Selection{Flagged: true})
	got := strings.Join(keysOf(f.tree()), " ")
	if got != "busy/ busy/notes.txt linked real/" {
		t.Errorf("left: %s", got)
	}
}

func keysOf(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
