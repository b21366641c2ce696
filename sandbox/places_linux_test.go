package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestOddPaths: the characters of a path do not matter, not even those that mount options are made of.
func TestOddPaths(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n"})
		odd := filepath.Join(b.top, `w:i,k\i"é`+"\n upperdir=x")
		if err := os.Rename(b.root, odd); err != nil {
			t.Fatal(err)
		}
		b.root, b.spec.Root = odd, odd
		box := b.open(l)
		b.must(box, `echo b >>a.md; mkdir 'd:e'; echo c >'d:e/c,d.md'`)
		b.want(b.changes(box), `edit a.md "a\n" -> "a\nb\n"`, `create d:e/c,d.md -> "c\n"`, `dir d:e`)
	})
}

// TestFolderInRunFolder: a run may work on an empty folder of its own, as fetches do.
func TestFolderInRunFolder(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, nil)
		b.root = filepath.Join(b.rundir, "page")
		b.spec.Root = b.root
		if err := os.Mkdir(b.root, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(b.root) })
		box, err := l.Open(t.Context(), b.spec)
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		b.must(box, `echo c >c.md`)
		b.want(b.changes(box), `create c.md -> "c\n"`)
	})
}

// TestVisible: a program in HOME is found through the links that lead to it, and so is one in a hidden folder of the root; what lies beside them is not.
func TestVisible(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n", ".rig/adapters/x/run": "#!/bin/sh\necho from adapter\n", ".rig/secret": "s", "local/adapters/y/run": "#!/bin/sh\necho from local\n"})
		plant(t, b.home, map[string]string{".local/share/agent/1.0/agent": "#!/bin/sh\necho from agent\n", ".local/share/other": "o",
			".local/bin/agent": "-> ../share/agent/current/agent", ".local/share/agent/current": "-> 1.0", ".ssh/id": "key"})
		adapter := filepath.Join(b.root, ".rig/adapters/x")
		for _, p := range []string{filepath.Join(b.home, ".local/share/agent/1.0/agent"), filepath.Join(adapter, "run"), filepath.Join(b.root, "local/adapters/y/run")} {
			if err := os.Chmod(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		b.spec.Hide = hideDots
		b.spec.Visible = []string{filepath.Join(b.home, ".local/bin/agent"), adapter, filepath.Join(b.root, "local/adapters/y")}
		box := b.open(l)
		out := b.must(box, b.home+`/.local/bin/agent; `+adapter+`/run; `+b.root+`/local/adapters/y/run; echo b >b.md`)
		if out != "from agent\nfrom adapter\nfrom local\n" {
			t.Errorf("%q", out)
		}
		if box.Confinement().Tier == "A" {
			b2 := b.open(l)
			b.must(b2, `[ ! -e .rig/secret ]; [ ! -e `+b.home+`/.local/share/other ]; [ ! -e `+b.home+`/.ssh ]; ! echo x 2>/dev/null >`+adapter+`/run`)
		}
		b.want(b.changes(box), `create b.md -> "b\n"`)
	})
}

// TestOwner: where we are root, the program is the folder's owner, not root.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can run as another")
	}
	l := Overlay(OverlayOptions{})
	need(t, l)
	b := newBench(t, map[string]string{"a.md": "a\n", "d/b.md": "b\n"})
	plant(t, b.home, map[string]string{".agent/auth.json": `{"a":1}`})
	if err := filepath.WalkDir(b.root, func(p string, _ os.DirEntry, _ error) error { return os.Chown(p, 65534, 65534) }); err != nil {
		t.Fatal(err)
	}
	b.spec.State, b.spec.KeepBack = []string{".agent"}, []string{".agent/auth.json"}
	box := b.open(l)
	c := sh(`set -e; id -u; cat "$HOME/.agent/auth.json"; echo '{"a":2}' >"$HOME/.agent/auth.json"; echo x >>a.md; echo n >d/n.md; rm d/b.md; ! cat /etc/shadow 2>/dev/null`)
	c.Env = append(c.Env, "HOME="+b.home)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 || out.String() != "65534\n{\"a\":1}" {
		t.Fatal(e, err, out.String(), errs.String())
	}
	b.want(b.changes(box), `edit a.md "a\n" -> "a\nx\n"`, `delete d/b.md "b\n"`, `create d/n.md -> "n\n"`)
	if text, err := os.ReadFile(filepath.Join(b.home, ".agent/auth.json")); err != nil || string(text) != "{\"a\":2}\n" {
		t.Error(string(text), err)
	}
}

// TestSideBySide: runs on one folder do not see each other, and leave no descriptor and no process behind, also where they are cut short.
func TestSideBySide(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n"})
		before := descriptors(t)
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				mine := *b
				mine.spec.RunDir = filepath.Join(b.top, "run"+string(rune('0'+i)))
				if err := os.Mkdir(mine.spec.RunDir, 0o700); err != nil {
					t.Error(err)
					return
				}
				box, err := l.Open(t.Context(), mine.spec)
				if err != nil {
					t.Error(err)
					return
				}
				if i != 0 { // one is closed without a run
					n := string(rune('0' + i))
					c := sh(`echo ` + n + ` >>a.md; [ $(ls | wc -l) = 1 ]`)
					if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 {
						t.Error(e, err)
					}
					ch, err := box.Changes(t.Context())
					if err != nil || len(ch.List) != 1 || string(ch.List[0].New) != "a\n"+n+"\n" {
						t.Errorf("%+v %v", ch, err)
					}
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		eventually(t, "descriptors are closed", func() bool { return descriptors(t) <= before })
	})
}

func descriptors(t *testing.T) int {
	l, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(l)
}

// TestCutShort: runs that are cancelled at any point, in set-up too, leave nothing: no process, no descriptor, no file.
func TestCutShort(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n", "d/b.md": "b\n"})
		marker := fmt.Sprintf("3180.%06d", os.Getpid()%1000000)
		before := descriptors(t)
		for i := range 12 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*4*time.Millisecond)
			box, err := l.Open(ctx, b.spec)
			if err == nil {
				c := sh("sleep " + marker + " & sleep " + marker)
				if e, err := box.Run(ctx, c); err == nil && e.Why != Cancelled {
					t.Errorf("%+v", e)
				}
				if err := box.Close(); err != nil {
					t.Error(err)
				}
			}
			cancel()
			if left, err := os.ReadDir(b.rundir); err != nil || len(left) > 0 {
				t.Fatal("left:", left, err)
			}
		}
		eventually(t, "nothing runs on", func() bool { return alive(marker) == 0 })
		eventually(t, "descriptors are closed", func() bool { return descriptors(t) <= before })
	})
}
