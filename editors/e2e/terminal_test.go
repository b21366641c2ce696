package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminal is a real terminal with an editor in it: tmux, on a socket of its own.
type terminal struct {
	t      *testing.T
	socket string
}

// hang bounds the waits in a terminal; it is there for a hang only.
const hang = time.Minute

// newTerminal starts a command in a terminal of 110 by 34. Its log of states is what the screen shows.
func newTerminal(t *testing.T, dir string, env []string, command ...string) *terminal {
	t.Helper()
	tmux := &terminal{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	quoted := make([]string, len(command))
	for i, word := range command {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	cmd := tmux.command("-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "34", strings.Join(quoted, " "))
	cmd.Dir, cmd.Env = dir, append(env, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "SHELL=/bin/sh")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	t.Cleanup(func() { _ = tmux.command("kill-server").Run() }) // it ended with the editor already where all went well
	return tmux
}

func (m *terminal) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", m.socket}, args...)...)
}

// keys presses keys, by tmux's names.
func (m *terminal) keys(names ...string) {
	m.t.Helper()
	if out, err := m.command(append([]string{"send-keys"}, names...)...).CombinedOutput(); err != nil {
		m.t.Fatalf("tmux send-keys %q: %v\n%s\n%s", names, err, out, m.screen())
	}
}

// text types a text.
func (m *terminal) text(text string) {
	m.t.Helper()
	m.keys("-l", "--", text)
}

// line types a line and ends it.
func (m *terminal) line(text string) {
	m.t.Helper()
	m.text(text)
	m.keys("Enter")
}

// screen is what the terminal shows, as text.
func (m *terminal) screen() string {
	out, _ := m.command("capture-pane", "-p").Output() // empty once the editor has ended
	return string(out)
}

// wait waits until a state has come.
func (m *terminal) wait(what string, state func() bool) {
	m.t.Helper()
	m.press(what, state)
}

// press waits for a state, pressing keys again from time to time, after an Escape of its own: an editor that is still starting drops them, and
// an Escape right before a key is Alt with that key.
func (m *terminal) press(what string, state func() bool, names ...string) {
	m.t.Helper()
	deadline, next, turn := time.Now().Add(hang), time.Now(), 0
	for !state() {
		if time.Now().After(deadline) {
			m.t.Fatalf("never saw: %s\n%s", what, m.screen())
		}
		if len(names) > 0 && time.Now().After(next) {
			if turn%2 == 0 {
				m.keys(names...)
			} else {
				m.keys("Escape")
			}
			turn++
			next = time.Now().Add(5 * time.Second) // sooner, a slow editor would take the Escape for its own late menu
		}
		time.Sleep(20 * time.Millisecond)
	}
	m.t.Logf("saw %s", what)
}

// shows gives the state that the screen contains a text.
func (m *terminal) shows(text string) func() bool {
	return func() bool { return strings.Contains(m.screen(), text) }
}

// save writes what the terminal shows to a file, colours included.
func (m *terminal) save(file string) {
	m.t.Helper()
	out, err := m.command("capture-pane", "-e", "-p").Output()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, out, 0o644); err != nil {
		m.t.Fatal(err)
	}
}
