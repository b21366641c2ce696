package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// noUpper tells whether l keeps its upper layer on a disk that cannot hold one: that of a container is an overlay itself.
func noUpper(l Layer, dir string) bool {
	o, ok := l.(overlayLayer)
	var fs unix.Statfs_t
	return ok && o.o.Upper == OnDisk && unix.Statfs(dir, &fs) == nil && fs.Type == unix.OVERLAYFS_SUPER_MAGIC
}

// TestWritesTooMuch: where no quota bounds what a program writes, too much ends its run, and nothing of it is taken.
func TestWritesTooMuch(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"bytes", `head -c 40000000 /dev/zero >big; sleep 600`},
		{"bytes elsewhere", `head -c 40000000 /dev/zero >/tmp/big || head -c 40000000 /dev/zero >"$TMPDIR/big"; sleep 600`},
		{"bytes in a closed folder", `mkdir x; exec 3>x/big; chmod 000 x; head -c 40000000 /dev/zero >&3; sleep 600`},
		{"files", `mkdir x; i=0; while [ $i -lt 700 ]; do : >x/$i; i=$((i+1)); done; sleep 600`},
	} {
		for name, l := range map[string]Layer{"disk": Overlay(OverlayOptions{Upper: OnDisk}), "copy": Copy(CopyOptions{Unconfined: true})} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				need(t, l)
				b := newBench(t, map[string]string{"a.md": "a\n"})
				b.spec.Limits = Limits{Upper: 20 << 20, Inodes: 500, Grace: time.Second}
				box := b.open(l)
				cmd := sh(c.script)
				cmd.Timeout = time.Minute
				e, err := box.Run(t.Context(), cmd)
				if err != nil || e.Why != Overfull {
					t.Fatalf("%+v %v", e, err)
				}
				if ch := b.changes(box); ch.Overflow == "" {
					t.Errorf("%q", lines(ch))
				}
			})
		}
	}
}

// TestHoles: a sparse file costs nothing, whatever its size.
func TestHoles(t *testing.T) {
	l := Overlay(OverlayOptions{Upper: OnDisk})
	need(t, l)
	b := newBench(t, map[string]string{"a.md": "a\n"})
	b.spec.Limits.Upper = 20 << 20
	box := b.open(l)
	b.must(box, `truncate -s 10G big.md; sleep 0.5`)
	b.want(b.changes(box), "odd big.md (too-large)")
}

// TestDiskStage: the program does not see where its writes are kept, and nothing there is synchronized.
func TestDiskStage(t *testing.T) {
	l := Overlay(OverlayOptions{Upper: OnDisk})
	need(t, l)
	b := newBench(t, map[string]string{"a.md": "a\n"})
	box := b.open(l)
	out := b.must(box, `echo x >n.md; ls -A '`+b.rundir+`/disk'; grep " $PWD " /proc/self/mounts`)
	if strings.Count(out, "\n") != 1 || !strings.Contains(out, " overlay ") || !strings.Contains(out, "volatile") {
		t.Errorf("%q", out)
	}
	if box.Confinement().Tier != "A2" {
		t.Error(box.Confinement())
	}
}

// TestMemoryShort: where memory is short the upper layer is kept on disk, by a real try; a finding of the other kind is not used then.
func TestMemoryShort(t *testing.T) {
	need(t, Overlay(OverlayOptions{Upper: OnDisk}))
	b := newBench(t, map[string]string{"a.md": "a"})
	left := int64(300 << 20)
	c := Choice{Scratch: b.rundir, Memory: func() (int64, bool) { return left, true }}
	for _, step := range []struct {
		left    int64
		upper   int64
		tier    string
		holdsA  bool
		holdsA2 bool
	}{
		{300 << 20, 0, "A2", false, true},
		{4 << 30, 0, "A", true, false},
		{4 << 30, 8 << 30, "A2", false, true}, // too big
	} {
		left, c.Upper = step.left, step.upper
		l, r, err := Auto(t.Context(), b.root, b.home, c)
		if err != nil || l.Name() != "overlay" || r.Tier != step.tier {
			t.Errorf("%v: %v %v", step, r, err)
		}
		for tier, want := range map[string]bool{"A": step.holdsA, "A2": step.holdsA2} {
			if _, ok := Tier(tier, c); ok != want {
				t.Errorf("%v: tier %s may be taken: %v", step, tier, ok)
			}
		}
	}
	if left, err := os.ReadDir(b.rundir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if n, known := memoryLeft(); !known || n < 1<<20 {
		t.Errorf("this machine has %d bytes left, known: %v", n, known)
	}
}

// TestGroupLeft: the tightest control group counts.
func TestGroupLeft(t *testing.T) {
	top := t.TempDir()
	for rel, v := range map[string][2]string{"a": {"1000", "400"}, "a/b": {"max", "300"}, "a/b/c": {"900", "100"}} {
		dir := filepath.Join(top, rel)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"memory.max", "memory.current"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(v[i]+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := groupLeft(top, "/a/b/c"); got != 600 {
		t.Error(fmt.Sprint(got))
	}
}
