package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSoak makes runs one after another, each in one of the ways below, some ended at a random moment, and then looks for what is left: processes,
// mounts, descriptors, bytes. RIG_SOAK is the number of runs, 10 without it.
func TestSoak(t *testing.T) {
	n := 10
	if s := os.Getenv("RIG_SOAK"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t, map[string]string{"a.md": "a\n", "d/b.md": "b\n", "d/c.md": "c\n", ".agent/": ""})
	plant(t, b.home, map[string]string{".agent/state": "s"})
	b.spec.State, b.spec.Network.Hosts = []string{".agent"}, []string{"api.example.com"}
	before, tmp := image(t, b.root), filepath.Join(b.top, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := &soak{bench: b, random: rand.New(rand.NewPCG(seed, 0)), marker: fmt.Sprintf("317.%06d", os.Getpid()%1000000)}
	ways := []func(t *testing.T, l Layer){s.whole, s.cancelled, s.helperKilled, s.serverKilled, s.unused}
	fds := 0
	for i := range n {
		for name, l := range map[string]Layer{"overlay": Overlay(OverlayOptions{}), "copy": Copy(CopyOptions{Unconfined: true}), "disk": Overlay(OverlayOptions{Upper: OnDisk})} {
			t.Run(fmt.Sprintf("%d/%s", i, name), func(t *testing.T) {
				need(t, l)
				ways[i%len(ways)](t, l)
			})
		}
		if i == len(ways)-1 { // each way has been gone: what the runtime keeps is there
			fds = len(entries(t, "/proc/self/fd"))
		}
	}
	eventually(t, "nothing is left running", func() bool { return alive(s.marker) == 0 })
	eventually(t, "no descriptor is left", func() bool { return fds == 0 || len(entries(t, "/proc/self/fd")) <= fds })
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || strings.Contains(string(mounts), b.top) {
		t.Error("a mount is left", err)
	}
	if got := image(t, b.root); !maps.Equal(got, before) {
		t.Errorf("the folder changed:\n%v\nwas\n%v", got, before)
	}
	if left := append(entries(t, tmp), entries(t, b.rundir)...); len(left) > 0 {
		t.Errorf("left on disk: %v", left)
	}
}

// soak is what the ways of a run share.
type soak struct {
	*bench
	random *rand.Rand
	marker string
}

// work is a program that writes all the time.
func (s *soak) work(seconds string) Command {
	c := sh("(setsid sleep " + s.marker + " &); echo up; i=0; while [ $i -lt 100 ]; do echo $i >>a.md; echo $i >d/n$i.md; rm -f d/b.md; i=$((i+1)); done; sleep " + seconds)
	c.Timeout = time.Minute
	return c
}

// pause is a moment of up to 80 ms: what it falls on is left to chance on purpose.
func (s *soak) pause() <-chan time.Time {
	return time.After(time.Duration(s.random.IntN(80_000)) * time.Microsecond)
}

// with opens a box in a run folder of its own, and looks for what is left of it.
func (s *soak) with(t *testing.T, l Layer, use func(box Box)) {
	spec := s.spec
	spec.RunDir = filepath.Join(s.top, "run", strconv.FormatUint(s.random.Uint64(), 36))
	if err := os.Mkdir(spec.RunDir, 0o700); err != nil {
		t.Fatal(err)
	}
	box, err := l.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	use(box)
	if err := box.Close(); err != nil {
		t.Error("close:", err)
	}
	if err := os.Remove(spec.RunDir); err != nil { // no recursion: an empty folder
		t.Error(err)
	}
}

// whole is a run to its end, with its changes.
func (s *soak) whole(t *testing.T, l Layer) {
	s.with(t, l, func(box Box) {
		if e, err := box.Run(t.Context(), s.work("0")); err != nil || e.Code != 0 {
			t.Fatal(e, err)
		}
		if ch, err := box.Changes(t.Context()); err != nil || len(ch.List) != 102 {
			t.Error(len(ch.List), err)
		}
	})
}

// cancelled is a run that the user ends.
func (s *soak) cancelled(t *testing.T, l Layer) {
	s.with(t, l, func(box Box) {
		ctx, cancel := context.WithCancel(t.Context())
		pause := s.pause()
		go func() { <-pause; cancel() }()
		if e, err := box.Run(ctx, s.work(s.marker)); err != nil || e.Why != Cancelled {
			t.Error(e, err)
		}
		if _, err := box.Changes(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// helperKilled is a run whose helper dies: it must not count, and nothing of it goes on.
func (s *soak) helperKilled(t *testing.T, l Layer) {
	s.with(t, l, func(box Box) {
		c := s.work(s.marker)
		c.Talk = func(_ context.Context, rw io.ReadWriter) {
			bufio.NewReader(rw).ReadString('\n')
			<-s.pause()
			killChildren(t)
			io.Copy(io.Discard, rw)
		}
		if _, err := box.Run(t.Context(), c); err == nil {
			t.Error("a run whose helper was killed ended well")
		}
	})
}

// serverKilled is a run whose server dies. What a copy or an upper on disk leaves then is the next start's to clear.
func (s *soak) serverKilled(t *testing.T, l Layer) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(s.top, "run", "server"+strconv.FormatUint(s.random.Uint64(), 36))
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	name := l.Name()
	if o, ok := l.(overlayLayer); ok && o.o.Upper == OnDisk {
		name = "disk"
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"server", name, s.root, run, s.marker}, Env: os.Environ()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-s.pause()
	cmd.Process.Kill()
	cmd.Wait()
	eventually(t, "nothing is left running", func() bool { return alive(s.marker) == 0 })
	if name != "overlay" {
		err = Remove(run)
	} else {
		err = os.Remove(run)
	}
	if err != nil {
		t.Error(err)
	}
}

// unused is a box that is opened and closed.
func (s *soak) unused(t *testing.T, l Layer) { s.with(t, l, func(Box) {}) }

// killChildren ends the helpers that this process started, by their numbers.
func killChildren(t *testing.T) {
	for _, task := range entries(t, "/proc/self/task") {
		b, err := os.ReadFile("/proc/self/task/" + task + "/children")
		if err != nil {
			continue // a thread that has ended
		}
		for pid := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(pid); err == nil {
				if p, err := os.FindProcess(n); err == nil {
					p.Kill()
				}
			}
		}
	}
}

// entries are the names in a folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
