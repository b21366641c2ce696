//go:build linux

package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// alive counts processes with a marker in their arguments.
func alive(marker string) int {
	n := 0
	dirs, _ := os.ReadDir("/proc")
	for _, d := range dirs {
		b, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
		if strings.Contains(strings.ReplaceAll(string(b), "\x00", " "), marker) {
			n++
		}
	}
	return n
}

// onStop cancels the run when the program, a shell with a script that no other has, is stopped.
func onStop(c *Command, cancel context.CancelFunc) {
	argv := strings.Join(c.Argv, "\x00") + "\x00"
	stopped := func() bool {
		dirs, _ := os.ReadDir("/proc")
		return slices.ContainsFunc(dirs, func(d os.DirEntry) bool {
			args, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
			if string(args) != argv {
				return false
			}
			status, _ := os.ReadFile("/proc/" + d.Name() + "/status")
			return strings.Contains(string(status), "State:\tT (stopped)")
		})
	}
	go func() {
		defer cancel()
		for end := time.Now().Add(c.Timeout); !stopped() && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}()
}

// onLine cancels the run when the program has printed its first line.
func onLine(c *Command, cancel context.CancelFunc) {
	c.Talk = func(_ context.Context, rw io.ReadWriter) {
		bufio.NewReader(rw).ReadString('\n')
		cancel()
		io.Copy(io.Discard, rw)
	}
}

// TestEnds: each way a program can end, and nothing of it is left.
func TestEnds(t *testing.T) {
	for i, c := range []struct {
		name   string
		script string // %[1]s is a marker for sleep
		change func(c *Command, cancel context.CancelFunc)
		want   Exit
	}{
		{"status", `exit 7`, nil, Exit{Code: 7, Why: Exited}},
		{"signal", `kill -SEGV $$`, nil, Exit{Code: 139, Why: Exited}},
		{"orphans", `setsid sleep %[1]s & (sleep %[1]s &) ; exit 0`, nil, Exit{Why: Exited}},
		{"timeout with a grandchild on the streams", `sh -c 'sleep %[1]s' & echo started; sleep %[1]s`,
			func(c *Command, _ context.CancelFunc) { c.Timeout = 300 * time.Millisecond }, Exit{Code: 143, Why: TimedOut}},
		{"deaf to its stop signal", `trap '' TERM; echo up; setsid sleep %[1]s; sleep %[1]s; sleep %[1]s`, onLine, Exit{Code: -1, Why: Cancelled}},
		{"stopped itself", `: %[1]s; kill -STOP $$`, onStop, Exit{Code: -1, Why: Cancelled}},
		{"its own stop signal", `trap 'exit 9' INT; echo up; while :; do sleep 0.05; done`,
			func(c *Command, cancel context.CancelFunc) { c.Stop = os.Interrupt; onLine(c, cancel) }, Exit{Code: 9, Why: Cancelled}},
		{"idle", `echo a; sleep %[1]s`, func(c *Command, _ context.CancelFunc) { c.Idle = 300 * time.Millisecond }, Exit{Code: 143, Why: WentIdle}},
		{"cancelled", `echo a; sleep %[1]s`, onLine, Exit{Code: 143, Why: Cancelled}},
		{"result printed, never exits", `sleep %[1]s & echo result; sleep %[1]s`, func(c *Command, _ context.CancelFunc) {
			c.Talk = func(_ context.Context, rw io.ReadWriter) { bufio.NewReader(rw).ReadString('\n') }
		}, Exit{Code: 143, Why: Finished}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, l Layer) {
				b := newBench(t, map[string]string{"a.md": "a"})
				b.spec.Limits = Limits{Grace: 20 * time.Second, Linger: 300 * time.Millisecond}
				if c.want.Code == -1 {
					b.spec.Limits.Grace = 300 * time.Millisecond
				}
				box := b.open(l)
				marker := fmt.Sprintf("31%d.%06d", i, os.Getpid()%1000000)
				script := c.script
				if strings.Contains(script, "%") {
					script = fmt.Sprintf(script, marker)
				}
				cmd := sh(script)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.change != nil {
					c.change(&cmd, cancel)
				}
				e, err := box.Run(ctx, cmd)
				if err != nil || e.Code != c.want.Code || e.Why != c.want.Why {
					t.Errorf("got %+v, %v; want %+v", e, err, c.want)
				}
				if n := alive(marker); n != 0 {
					t.Errorf("%d processes left", n)
				}
			})
		})
	}
}

// TestStreams: input arrives whole and ends, also where it is empty; output arrives whole, both streams apart.
func TestStreams(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		box := b.open(l)
		var out, errs strings.Builder
		c := sh(`cat; cat {files}/prompt.txt; echo "$P" >&2; pwd`)
		c.Stdin = []byte(strings.Repeat("in\n", 100_000))
		c.Env = append(c.Env, "P={files}/prompt.txt")
		c.Files = map[string][]byte{"prompt.txt": []byte("from a file\n")}
		c.Stdout, c.Stderr = &out, &errs
		if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 {
			t.Fatal(e, err, errs.String())
		}
		if want := string(c.Stdin) + "from a file\n" + box.Dir() + "\n"; out.String() != want {
			t.Errorf("stdout has %d bytes, want %d: …%q", out.Len(), len(want), out.String()[max(0, out.Len()-200):])
		}
		if s := errs.String(); !strings.HasSuffix(s, "/prompt.txt\n") {
			t.Errorf("stderr %q", s)
		}
	})
}

// TestTwoWay: a conversation, then the program ends by itself as its input does.
func TestTwoWay(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		box := b.open(l)
		c := sh(`while read -r x; do echo "got $x"; done; echo end >e.md`)
		c.TwoWay = true
		var said []string
		c.Talk = func(_ context.Context, rw io.ReadWriter) {
			r := bufio.NewReader(rw)
			for _, w := range []string{"one", "two"} {
				fmt.Fprintln(rw, w)
				s, _ := r.ReadString('\n')
				said = append(said, s)
			}
		}
		e, err := box.Run(t.Context(), c)
		if err != nil || e.Code != 0 || e.Why != Exited || strings.Join(said, "") != "got one\ngot two\n" {
			t.Errorf("%+v %v %q", e, err, said)
		}
		b.want(b.changes(box), `create e.md -> "end\n"`)
	})
}

// TestFloods: endless output blocks neither the program nor us.
func TestFloods(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		box := b.open(l)
		c := sh(`head -c 50000000 /dev/zero; head -c 5000000 /dev/zero >&2; echo x >b.md`)
		c.Talk = func(_ context.Context, rw io.ReadWriter) { io.ReadFull(rw, make([]byte, 10)) }
		e, err := box.Run(t.Context(), c)
		if err != nil || e.Code != 0 {
			t.Fatal(e, err)
		}
		b.want(b.changes(box), `create b.md -> "x\n"`)
	})
}

// TestNoProgram: a program that cannot start is an error that names it.
func TestNoProgram(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		box := b.open(l)
		_, err := box.Run(t.Context(), Command{Argv: []string{"/no/such/agent"}})
		if err == nil || !strings.Contains(err.Error(), "/no/such/agent") {
			t.Error(err)
		}
	})
}
