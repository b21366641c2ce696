package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTools: our executables are found on PATH under their names, told apart by argv[0], also through programs that look PATH up themselves; in an
// overlay they stand in for programs at their paths, what was there is still at hand, and nobody can write them.
func TestTools(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n"})
		plant(t, b.home, map[string]string{"ours": "#!/bin/sh\necho \"ours: ${0##*/} $1\"\n", "host/prog": "#!/bin/sh\necho theirs\n", "host/bin/prog": "-> ../prog"})
		for _, p := range []string{"ours", "host/prog"} {
			if err := os.Chmod(filepath.Join(b.home, p), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		ours, over := filepath.Join(b.home, "ours"), filepath.Join(b.home, "host/bin/prog")
		b.spec.Visible = []string{filepath.Join(b.home, "host")}
		b.spec.Tools = []Tool{{Name: "prog", Exec: ours, Over: []string{over, "/nonexistent/prog"}}, {Name: "qx", Exec: ours}}
		box := b.open(l)
		var out, errs strings.Builder
		c := sh(`set -e; qx 1; prog 2; env qx 3; "$0"/.real/prog; ` + over + ` 4; [ "$1" = false ] || { ! echo x 2>/dev/null >"$0"/qx; ! rm -f "$0"/qx 2>/dev/null; }; qx 5`)
		c.Argv = append(c.Argv, "{tools}", fmt.Sprint(box.Confinement().HostWrites))
		c.Env = []string{"PATH={tools}:/usr/bin:/bin"}
		c.Stdout, c.Stderr = &out, &errs
		if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 {
			t.Fatalf("%+v %v %s%s", e, err, out.String(), errs.String())
		}
		conf := box.Confinement()
		at := "ours: prog 4"
		if conf.Layer == "copy" {
			at = "theirs"
			if !slices.ContainsFunc(conf.Missing, func(m string) bool { return strings.HasPrefix(m, "prog is ours on PATH only") }) {
				t.Error("not said:", conf.Missing)
			}
		}
		if want := "ours: qx 1\nours: prog 2\nours: qx 3\ntheirs\n" + at + "\nours: qx 5\n"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
		b.want(b.changes(box))
	})
}

// TestToolsLogin: a login shell, which sets PATH anew, finds the tools all the same, before the host's programs of their names.
func TestToolsLogin(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n"})
		plant(t, b.home, map[string]string{"ours": "#!/bin/sh\necho \"ours: ${0##*/} $1\"\n"})
		ours := filepath.Join(b.home, "ours")
		if err := os.Chmod(ours, 0o755); err != nil {
			t.Fatal(err)
		}
		b.spec.Tools = []Tool{{Name: "qx", Exec: ours}, {Name: "uname", Exec: ours}}
		box := b.open(l)
		var out, errs strings.Builder
		c := sh(`bash -lc 'qx 1'; bash -lc 'bash -c "uname 2"'; sh -lc 'qx 3; uname 4'`)
		c.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + b.spec.Home}
		c.Stdout, c.Stderr = &out, &errs
		if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 {
			t.Fatalf("%+v %v %s%s", e, err, out.String(), errs.String())
		}
		if want := "ours: qx 1\nours: uname 2\nours: qx 3\nours: uname 4\n"; out.String() != want {
			t.Errorf("got %q, want %q: %s", out.String(), want, errs.String())
		}
	})
}

// TestToolsRefused: names and paths that are none are refused before anything is made.
func TestToolsRefused(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, nil)
		for _, bad := range [][]Tool{{{Name: "../git", Exec: "/bin/sh"}}, {{Name: "", Exec: "/bin/sh"}}, {{Name: ".real", Exec: "/bin/sh"}}, {{Name: "git", Exec: "sh"}},
			{{Name: "git", Exec: "/bin/sh", Over: []string{"git"}}}, {{Name: "git", Exec: "/bin/sh"}, {Name: "git", Exec: "/bin/sh"}}} {
			b.spec.Tools = bad
			if box, err := l.Open(t.Context(), b.spec); err == nil {
				box.Close()
				t.Errorf("%+v was taken", bad)
			}
		}
	})
}
