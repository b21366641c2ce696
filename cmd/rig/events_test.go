package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki"
)

// lines is a stream that a test reads while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// until waits for a text that has what is asked for.
func (l *lines) until(t *testing.T, what string, ok func(string) bool) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if s := l.String(); ok(s) {
			return s
		} else if time.Now().After(deadline) {
			t.Fatalf("no %s in\n%s", what, s)
		}
	}
}

func has(parts ...string) func(string) bool {
	return func(s string) bool {
		for _, p := range parts {
			if !strings.Contains(s, p) {
				return false
			}
		}
		return true
	}
}

// watching runs `rig wiki events …` until the test ends.
func watching(t *testing.T, home string, env []string, args ...string) (out, errs *lines) {
	t.Helper()
	out, errs = &lines{}, &lines{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	a := &app{in: strings.NewReader(""), out: out, err: errs, env: append(env, "RIG_HOME="+home, "HOME="+home), cwd: home}
	go func() { done <- a.run(ctx, append([]string{"wiki", "events"}, args...)) }()
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != wiki.ExitOK {
			t.Errorf("it ended with %d: %s", code, errs)
		}
	})
	return out, errs
}

func boardURL(t *testing.T, errs *lines) string {
	t.Helper()
	re := regexp.MustCompile(`http://127\.0\.0\.1:(\d+)/api/events`)
	return re.FindString(errs.until(t, "address", re.MatchString))
}

func postEvent(t *testing.T, url, token, body string) int {
	t.Helper()
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("X-Rig-Token", token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// What is posted is shown as it comes, for people and as JSON; a token is required where one was set.
func TestEventsServe(t *testing.T) {
	for _, form := range [][]string{{"--serve"}, {"tail", "--serve"}, {"tail", "--serve", "--json"}} {
		t.Run(strings.Join(form, " "), func(t *testing.T) {
			out, errs := watching(t, t.TempDir(), []string{"BOARD_TOKEN=right"}, form...)
			url := boardURL(t, errs)
			if code := postEvent(t, url, "wrong", `{"v":1,"session":"s","kind":"edit","summary":"not this"}`); code != 403 {
				t.Errorf("a wrong token: %d", code)
			}
			for _, body := range []string{
				`{"v":1,"session":"s","kind":"test","summary":"npm test","cmd":"npm test","running":true,"agent":"ana","task":"tea.md"}`,
				`{"v":1,"session":"s","kind":"test","summary":"npm test","cmd":"npm test","ok":false,"agent":"ana","task":"tea.md"}`,
				`{"v":1,"session":"s","kind":"hologram","summary":"something new"}`,
			} {
				if code := postEvent(t, url, "right", body); code != 204 {
					t.Errorf("%s: %d", body, code)
				}
			}
			want := []string{"ana", "npm test …", "npm test  failed", "(tea.md)", "other", "something new"}
			if form[len(form)-1] == "--json" {
				want = []string{`"running":true`, `"ok":false`, `"kind":"other","summary":"something new"`}
			}
			if s := out.until(t, "event", has(want...)); strings.Contains(s, "not this") {
				t.Errorf("a refused event is shown: %s", s)
			}
		})
	}
}

// The events of runs elsewhere are followed in their folders; one that comes both ways is shown once.
func TestEventsOfRuns(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "runs", "garden-1", "run-1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(file, []byte(`{"v":1,"session":"s","kind":"edit","summary":"long ago"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs := watching(t, home, nil, "tail", "--serve", "--json")
	url := boardURL(t, errs)
	add := func(text string) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	// The first look notes what is there: from the first line that shows on, the rest must come.
	for i := 0; !strings.Contains(out.String(), "ready"); i++ {
		add(`{"v":1,"session":"s","kind":"other","summary":"ready"}` + "\n")
		time.Sleep(10 * time.Millisecond)
		if i > 6000 { // a minute: a hang
			t.Fatal("nothing is shown")
		}
	}
	twice := `{"v":1,"session":"s","kind":"edit","summary":"both ways"}`
	postEvent(t, url, "", twice)
	add(twice + "\n" + `{"v":1,"session":"s","kind":"read","summary":"half a `)
	add("line\"}\nno event\n" + `{"v":1,"session":"s","kind":"end","summary":"the end"}` + "\n")
	s := out.until(t, "end", has("the end"))
	if strings.Contains(s, "long ago") || strings.Count(s, "both ways") != 1 || !strings.Contains(s, "half a line") {
		t.Errorf("shown:\n%s", s)
	}
}

// Who only looks sees what another program takes, and what a run stored and posted too once.
func TestEventsServedElsewhere(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "runs", "garden-1", "run-1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, errs := watching(t, home, nil, "--serve")
	url := boardURL(t, errs)
	out, _ := watching(t, home, nil, "tail", "--json")
	for i := 0; !strings.Contains(out.String(), "ready"); i++ { // the first look notes what is there
		postEvent(t, url, "", fmt.Sprintf(`{"v":1,"session":"s","kind":"other","summary":"ready %d"}`, i))
		time.Sleep(10 * time.Millisecond)
		if i > 6000 { // a minute: a hang
			t.Fatal("nothing is shown")
		}
	}
	both := `{"v":1,"session":"s","kind":"edit","summary":"both ways"}`
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(both+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out.until(t, "event of the run", has("both ways"))
	for _, body := range []string{both, `{"v":1,"session":"s","kind":"idle","summary":"again"}`, `{"v":1,"session":"s","kind":"idle","summary":"again"}`,
		`{"v":1,"session":"s","kind":"end","summary":"the end"}`} {
		if code := postEvent(t, url, "", body); code != http.StatusNoContent {
			t.Fatalf("%s: %d", body, code)
		}
	}
	s := out.until(t, "end", has("the end"))
	if strings.Count(s, "both ways") != 1 || strings.Count(s, "again") != 2 {
		t.Errorf("shown:\n%s", s)
	}
}

// A file that another program put aside is left to it.
func TestEventFilePutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "served.jsonl")
	one, two := &eventFile{path: path}, &eventFile{path: path}
	for i, f := range []*eventFile{one, two} {
		if err := f.add(adapters.Event{Session: "s", Kind: "edit", Summary: fmt.Sprint("early ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	one.size = maxEventFile
	for i, f := range []*eventFile{one, two} {
		if err := f.add(adapters.Event{Session: "s", Kind: "edit", Summary: fmt.Sprint("late ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = errors.Join(one.close(), two.close()) }()
	text, err := os.ReadFile(path)
	if s := string(text); err != nil || !has("late 0", "late 1")(s) || strings.Contains(s, "early") {
		t.Errorf("%v:\n%s", err, s)
	}
}

func TestEventsPortTaken(t *testing.T) {
	home := t.TempDir()
	_, errs := watching(t, home, nil, "--serve")
	port := regexp.MustCompile(`:(\d+)/`).FindStringSubmatch(boardURL(t, errs))[1]
	var out, said lines
	a := &app{in: strings.NewReader(""), out: &out, err: &said, env: []string{"RIG_HOME=" + home, "HOME=" + home, "BOARD_PORT=" + port}, cwd: home}
	if code := a.run(t.Context(), []string{"wiki", "events", "--serve"}); code != wiki.ExitFailed || !strings.Contains(said.String(), "--port") {
		t.Errorf("%d: %s", code, said.String())
	}
}

func TestEventLine(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 2, 3, 0, time.UTC)
	var e adapters.Event
	if err := json.Unmarshal([]byte(`{"session":"s1","kind":"check","summary":"go vet ./...","ok":true}`), &e); err != nil {
		t.Fatal(err)
	}
	if got, want := eventLine(e, at), "10:02:03  s1           check    go vet ./...  ok"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file that is put aside between two looks loses no line and shows none twice, also where the new one has grown past the old one's length.
func TestTailAcrossRotation(t *testing.T) {
	f := eventFile{path: filepath.Join(t.TempDir(), "events.jsonl")}
	var got []string
	look := tail{patterns: []string{f.path}}
	see := func() {
		if err := look.look(func(e adapters.Event) { got = append(got, e.Summary) }); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	add := func(n int) {
		for range n {
			want = append(want, fmt.Sprint(len(want)))
			if err := f.add(adapters.Event{V: 1, Session: "s", Kind: "edit", Summary: want[len(want)-1]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	turn := func() { f.size = maxEventFile }
	see()
	add(3)
	see()
	add(2) // not seen before it is put aside
	turn()
	add(9) // longer than what was read of the old one
	see()
	see()
	add(1)
	if err := errors.Join(f.close(), os.Rename(f.path, f.path+asideSuffix)); err != nil { // between the two steps of putting it aside
		t.Fatal(err)
	}
	see()
	add(1)
	see()
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("shown %q, want %q", got, want)
	}
}
