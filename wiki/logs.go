package wiki

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/rigwiki/rig/adapters"
)

// Caps of what is kept of a run's streams, in bytes. An agent may print for ever.
const (
	logCap    = 8 << 20
	eventsCap = 16 << 20
)

// runLogs are the files of a run's folder that grow while it runs.
type runLogs struct {
	dir            string
	stdout, stderr *capWriter
	events         *capWriter
}

func openLogs(dir string) (*runLogs, error) {
	l := &runLogs{dir: dir}
	for _, f := range []struct {
		name string
		cap  int64
		to   **capWriter
	}{{"stdout.log", logCap, &l.stdout}, {"stderr.log", logCap, &l.stderr}, {"events.jsonl", eventsCap, &l.events}} {
		file, err := os.OpenFile(filepath.Join(dir, f.name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			l.close()
			return nil, fmt.Errorf("open the run's logs: %w", err)
		}
		*f.to = &capWriter{f: file, left: f.cap}
	}
	return l, nil
}

// prompt keeps what the agent was told.
func (l *runLogs) prompt(system, prompt string) error {
	if err := os.WriteFile(filepath.Join(l.dir, "prompt.md"), []byte(system+"\n---\n\n"+prompt), 0o600); err != nil {
		return fmt.Errorf("keep the prompt: %w", err)
	}
	return nil
}

// event keeps one event; a running one is the live line and is not stored (design, section 9).
func (l *runLogs) event(e adapters.Event) {
	if e.Running {
		return
	}
	if line, err := json.Marshal(e); err == nil { // an event is strings and numbers: it always marshals
		_, _ = l.events.Write(append(line, '\n'))
	}
}

// lastWord is the end of stderr as a clause for a message, "" where there is none.
func (l *runLogs) lastWord() string {
	if l == nil {
		return ""
	}
	if line := lastLine(l.stderr.tail()); line != "" {
		return ": " + line
	}
	return ""
}

func (l *runLogs) close() {
	for _, w := range []*capWriter{l.stdout, l.stderr, l.events} {
		if w != nil {
			_ = w.f.Close()
		}
	}
}

// capWriter writes the first bytes of a stream to a file and drops the rest, which it says once; the last bytes are kept for messages.
type capWriter struct {
	mu   sync.Mutex
	f    *os.File
	left int64
	last []byte
	err  error
}

// tailBytes of a stream are kept in memory.
const tailBytes = 4096

func (w *capWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, p...)
	if n := len(w.last) - tailBytes; n > 0 {
		w.last = append(w.last[:0], w.last[n:]...)
	}
	if w.left > 0 {
		n, err := w.f.Write(p[:min(int64(len(p)), w.left)])
		if w.left -= int64(n); w.left <= 0 && err == nil {
			_, err = w.f.WriteString("\n[cut here: the rest was dropped]\n")
		}
		w.err = errors.Join(w.err, err)
	}
	return len(p), nil
}

func (w *capWriter) tail() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.last)
}

// lastLine is the last line of s that says something, as plain text of at most 200 characters.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return plain(lines[len(lines)-1], 200)
}

// plain makes agent's text fit for a status line: no control characters, no direction marks, bounded.
func plain(s string, limit int) string {
	var b bytes.Buffer
	for i, r := range []rune(strings.ToValidUTF8(s, "\uFFFD")) {
		if i == limit {
			b.WriteString("…")
			break
		}
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// tailWriter keeps the last bytes of a stream.
type tailWriter struct{ last []byte }

func (w *tailWriter) Write(p []byte) (int, error) {
	w.last = append(w.last, p...)
	if n := len(w.last) - tailBytes; n > 0 {
		w.last = append(w.last[:0], w.last[n:]...)
	}
	return len(p), nil
}

// line is the last line that says something.
func (w *tailWriter) line() string { return lastLine(string(w.last)) }

// boundWriter passes on the first bytes of a stream and drops the rest, which over tells.
type boundWriter struct {
	to   *os.File
	left int64
	over bool
	err  error
}

func (w *boundWriter) Write(p []byte) (int, error) {
	n := min(int64(len(p)), w.left)
	w.over = w.over || n < int64(len(p))
	w.left -= n
	if n > 0 && w.err == nil {
		_, w.err = w.to.Write(p[:n])
	}
	return len(p), nil
}
