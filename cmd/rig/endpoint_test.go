package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
)

// plot lays out an empty wiki, and the environment of a user who has no board.
func plot(t *testing.T) (dir, home string, env []string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, home = filepath.Join(top, "plot"), filepath.Join(top, "home")
	if _, _, err := wiki.Init(dir, wiki.InitOptions{}); err != nil {
		t.Fatal(err)
	}
	return dir, home, []string{"PATH=/usr/bin:/bin", "HOME=" + top, "RIG_HOME=" + home}
}

// wired is a session of a wired project that says something, again until somebody heard it: a hook drops what it cannot tell at once.
func wired(t *testing.T, dir string, env []string, heard func() bool) {
	t.Helper()
	rig := rigBinary(t)
	waitFor(t, "the session's event", func() bool {
		cmd := exec.Command(rig, "wiki", "__emit", "claude")
		cmd.Dir, cmd.Env = dir, env
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"PostToolUse","session_id":"mine","tool_name":"Read","tool_input":{"file_path":"heard.md"},"tool_response":{}}`)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("the hook: %v %s", err, out)
		}
		return heard()
	})
}

// TestServerEndpoint: the language server takes events at BOARD_PORT; where that is somebody else's it says so and goes on at a free port, which sessions
// of wired projects find without being told. The editor hears of them.
func TestServerEndpoint(t *testing.T) {
	dir, home, env := plot(t)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, port string
		taken      bool
	}{{"taken", port(other), true}, {"ours", port(free), false}, {"none", "", false}} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "ours" {
				free.Close()
			}
			var said lines
			e := lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) (int, error) {
				a := &app{in: rwc, out: rwc, err: &said, env: append(env, "BOARD_PORT="+c.port), cwd: dir}
				return a.run(ctx, []string{"wiki", "lsp"}), nil
			}, lsptest.Options{Root: dir, Profile: lsptest.NoApply(), Init: `{"notifications":true}`})
			told := func(text string) bool {
				for _, raw := range e.Notes("rigwiki/event") {
					if strings.Contains(string(raw), text) {
						return true
					}
				}
				return false
			}
			if c.name == "ours" {
				if strings.Contains(said.String(), "events are not taken there") {
					t.Skip("another program took the port in between")
				}
				if code := postEvent(t, "http://127.0.0.1:"+c.port+"/api/events", "", `{"v":1,"session":"s","kind":"edit","summary":"posted here"}`); code != 204 {
					t.Errorf("an event at BOARD_PORT: %d", code)
				}
				waitFor(t, "the event in the editor", func() bool { return told("posted here") })
			} else {
				wired(t, dir, env, func() bool { return told("heard.md") })
			}
			if got := strings.Contains(said.String(), "events are not taken there"); got != c.taken {
				t.Errorf("said %v: %s", got, said.String())
			}
			if code := e.Shutdown(); code != 0 {
				t.Errorf("exit %d: %s", code, said.String())
			}
			if left, _ := filepath.Glob(filepath.Join(home, "locks", "board.*")); len(left) > 0 {
				t.Errorf("still published: %v", left)
			}
		})
	}
}

func port(l net.Listener) string { return strconv.Itoa(l.Addr().(*net.TCPAddr).Port) }

// TestDaemonEndpoint: the daemon takes events too, and `rig wiki events tail` shows them.
func TestDaemonEndpoint(t *testing.T) {
	dir, home, env := plot(t)
	out, _ := watching(t, home, nil, "tail", "--json")
	cmd := exec.Command(rigBinary(t), "wiki", "daemon", "--wiki", dir)
	cmd.Env = env
	var said lines
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	wired(t, dir, env, func() bool { return strings.Contains(out.String(), `"session":"mine"`) })
	said.until(t, "sign that it watches", has("watching")) // before, a signal would end it at once
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, said.String())
	}
	if left := wiki.Boards(home); len(left) > 0 {
		t.Errorf("still published: %v", left)
	}
}

// TestEventFile: what is kept for the tail is bounded, and the tail follows it over its new beginning.
func TestEventFile(t *testing.T) {
	f := &eventFile{path: filepath.Join(t.TempDir(), "daemon", "events.jsonl")}
	shown := map[string]int{}
	l := tail{patterns: []string{f.path}, at: map[string]place{}}
	long := strings.Repeat("x", 900)
	const n = 12_000 // about 12 MB
	for i := range n {
		if err := f.add(adapters.Event{V: 1, Session: strconv.Itoa(i), Kind: "read", Summary: "read", Detail: long}); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 999 {
			if err := l.look(func(e adapters.Event) { shown[e.Session]++ }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.add(adapters.Event{V: 1, Session: "live", Kind: "read", Running: true}); err != nil {
		t.Fatal(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(f.path)
	if err != nil || fi.Size() > maxEventFile {
		t.Errorf("%v %v", fi, err)
	}
	old, err := os.Stat(f.path + ".1")
	if err != nil || old.Size() > maxEventFile || old.Size()+fi.Size() < n*900 {
		t.Errorf("%v %v", old, err)
	}
	text, err := os.ReadFile(f.path)
	if err != nil || strings.Contains(string(text), `"live"`) {
		t.Error("a running line is kept", err)
	}
	for line := range strings.Lines(string(text)) {
		var e adapters.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if shown[e.Session] != 1 {
			t.Fatalf("event %s was shown %d times", e.Session, shown[e.Session])
		}
	}
}

// TestBoards: a program that died publishes nothing.
func TestBoards(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "locks"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "locks", "board.1"), []byte(`{"port":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	withdraw, err := wiki.PublishBoard(home, wiki.Board{Port: 7, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if got := wiki.Boards(home); len(got) != 1 || got[0] != (wiki.Board{Port: 7, Token: "t"}) {
		t.Errorf("%+v", got)
	}
	if err := withdraw(); err != nil {
		t.Fatal(err)
	}
	if got := wiki.Boards(home); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
