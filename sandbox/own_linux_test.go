package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOwn: in a folder of the run's own what the program writes stays, links and hidden folders too; box after box goes on where the last one ended. What is
// lent is seen at its place, is not written, and leads where its own absolute paths lead.
func TestOwn(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n", ".git/config": "x\n", "l": "-> a.md", "deps/": ""})
		lent := filepath.Join(b.top, "user", "deps")
		plant(t, b.top, map[string]string{"user/deps/lib.js": "lib\n", "user/deps/bin": "-> lib.js", "user/secret": "s\n"})
		b.spec.Own, b.spec.Lend = true, map[string]string{"deps": lent}
		b.spec.Hide = func(string, fs.DirEntry) bool { return true } // does not count
		for _, script := range []string{
			"echo b > b.md; echo y >> .git/config; ln -s b.md m; rm a.md; test -L l; test \"$(cat deps/bin)\" = lib; test \"$(cat " + lent + "/lib.js)\" = lib",
			"test \"$(cat m)\" = b; test ! -e a.md; mkdir -p x/y; echo z > x/y/z",
		} {
			box, err := l.Open(t.Context(), b.spec)
			if err != nil {
				t.Fatal(err)
			}
			b.must(box, script)
			if _, err := box.Changes(t.Context()); !errors.Is(err, ErrOwn) {
				t.Error(err)
			}
			if !box.Confinement().HostWrites {
				t.Log("nothing keeps the program from what is lent")
			} else if box.Confinement().Layer == "overlay" {
				if box, err := l.Open(t.Context(), Spec{Root: b.root, RunDir: mkdir(t, b.top, "run2"), Home: b.home, Own: true, Lend: b.spec.Lend}); err != nil {
					t.Error(err)
				} else {
					b.must(box, "echo cache > deps/.cache; echo other > deps/lib.js; ! cat "+b.top+"/user/secret")
					if err := box.Close(); err != nil {
						t.Error(err)
					}
				}
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		}
		for p, want := range map[string]string{"wiki/b.md": "b\n", "wiki/.git/config": "x\ny\n", "wiki/x/y/z": "z\n", "user/deps/lib.js": "lib\n"} {
			if got, err := os.ReadFile(filepath.Join(b.top, p)); err != nil || string(got) != want {
				t.Errorf("%s: %q %v", p, got, err)
			}
		}
		if list, err := os.ReadDir(lent); err != nil || len(list) != 2 {
			t.Error(list, err)
		}
		if left, err := os.ReadDir(b.rundir); err != nil || len(left) > 0 {
			t.Error(left, err)
		}
	})
}

// TestOwnRefused: what cannot be lent is refused before anything is made.
func TestOwnRefused(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"deps/": ""})
		plant(t, b.top, map[string]string{"user/deps/": "", "user/link": "-> deps"})
		for _, bad := range []Spec{
			{Lend: map[string]string{"deps": b.top + "/user/deps"}},
			{Own: true, Lend: map[string]string{"../deps": b.top + "/user/deps"}},
			{Own: true, Lend: map[string]string{"deps": "user/deps"}},
			{Own: true, Lend: map[string]string{"deps": b.top + "/user/link"}},
			{Own: true, Lend: map[string]string{"deps": b.top + "/none"}},
		} {
			bad.Root, bad.RunDir, bad.Home = b.root, b.rundir, b.home
			if box, err := l.Open(t.Context(), bad); err == nil {
				box.Close()
				t.Errorf("%+v was taken", bad)
			}
		}
	})
}

func mkdir(t *testing.T, top, name string) string {
	t.Helper()
	p := filepath.Join(top, name)
	if err := os.MkdirAll(p, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOwnTooMuch: what comes into a folder of the run's own is bounded, beyond what was there.
func TestOwnTooMuch(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": strings.Repeat("a", 3<<20)})
		b.spec.Own, b.spec.Limits = true, Limits{Own: 2 << 20, Grace: time.Second}
		for _, c := range []struct {
			script string
			why    Ending
		}{
			{"head -c 1000000 /dev/zero >b; sleep 1", Exited},
			{"while :; do head -c 500000 /dev/zero >>big; sleep 0.1; done", Overfull},
		} {
			box, err := l.Open(t.Context(), b.spec)
			if err != nil {
				t.Fatal(err)
			}
			cmd := sh(c.script)
			cmd.Timeout = time.Minute
			if e, err := box.Run(t.Context(), cmd); err != nil || e.Why != c.why {
				t.Errorf("%s: %+v %v, want %s", c.script, e, err, c.why)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
