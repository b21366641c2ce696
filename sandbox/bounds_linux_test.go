package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestForkBomb: it hits a limit, root's too, and is gone after the run.
func TestForkBomb(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		b.spec.Limits = Limits{Procs: 60}
		box := b.open(l)
		marker := fmt.Sprintf("317.%06d", os.Getpid()%1000000)
		var out strings.Builder
		c := sh(`i=0; while [ $i -lt 900 ]; do sleep ` + marker + ` & i=$((i+1)); echo $i; done; echo all`)
		c.Stdout = &out
		if _, err := box.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if n := alive(marker); n != 0 {
			t.Errorf("%d left", n)
		}
		started := strings.Fields(out.String())
		missing := strings.Contains(fmt.Sprint(box.Confinement().Missing), noLimit)
		if box.Confinement().Tier == "D" { // a limit there is by chance
			return
		}
		if started[len(started)-1] == "all" != missing {
			t.Errorf("%d processes were started; confinement %+v", len(started), box.Confinement())
		}
	})
}

// TestMemoryLimit: a program that takes too much memory is ended, where a control group can be made.
func TestMemoryLimit(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		b.spec.Limits = Limits{Memory: 64 << 20}
		box := b.open(l)
		c := sh(`x=$(head -c 200000000 /dev/zero | tr '\000' x); echo all ${#x}`)
		var out strings.Builder
		c.Stdout = &out
		_, err := box.Run(t.Context(), c)
		if strings.Contains(fmt.Sprint(box.Confinement().Missing), "a limit on memory") || box.Confinement().Tier == "D" {
			t.Skip("no control group can be made here")
		}
		if strings.Contains(out.String(), "all") {
			t.Errorf("%q %v", out.String(), err)
		}
	})
}

// TestFirstToGo: where memory runs out the run goes first.
func TestFirstToGo(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		box := b.open(l)
		if out := b.must(box, `cat /proc/self/oom_score_adj`); box.Confinement().Tier != "D" && strings.TrimSpace(out) != firstToGo {
			t.Errorf("%q", out)
		}
	})
}

// TestSweepGroups: a group whose maker died goes with the next start.
func TestSweepGroups(t *testing.T) {
	g, err := newControlGroup(Limits{Procs: 10})
	if err != nil {
		t.Skip("no control group can be made here:", err)
	}
	defer g.close()
	dead := filepath.Join(filepath.Dir(g.dirs[0]), groupPrefix+"999999999-x")
	if err := os.Mkdir(dead, 0o755); err != nil {
		t.Fatal(err)
	}
	sweepGroups()
	if _, err := os.Stat(dead); err == nil {
		t.Error("the group of a process that is gone was kept")
		os.Remove(dead)
	}
	if _, err := os.Stat(g.dirs[0]); err != nil {
		t.Error("a group of ours was swept:", err)
	}
	start := time.Now()
	if err := g.close(); err != nil || time.Since(start) > killWait {
		t.Error(err)
	}
}

func TestAtLeast(t *testing.T) {
	for release, want := range map[string]bool{"6.14.0": true, "6.14": true, "6.18.44-fc-v669": true, "7.0.1": true, "6.13.9": false, "5.15.0-100-generic": false, "": false, "x": false} {
		if atLeast(release, 6, 14) != want {
			t.Error(release)
		}
	}
}
