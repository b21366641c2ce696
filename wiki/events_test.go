package wiki

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/wiki/proposal"
)

// stored reads the events of a run's folder.
func stored(t *testing.T, h *Host, rec proposal.Record) (kinds []string, text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.rigHome, "runs", "*", rec.Run, "events.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var e adapters.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if e.Running {
			t.Errorf("a running event is stored: %s", line)
		}
		kinds = append(kinds, e.Kind)
	}
	return kinds, string(b)
}

// A run's events reach its folder, whoever watches, and the board that the user's environment names, under the names that the board gave.
func TestUsersBoard(t *testing.T) {
	got := make(chan adapters.Event, 100)
	b, err := board.Serve("secret", func(e adapters.Event) { got <- e })
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	h, job := retryHost(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("x")) })
	h.patience = time.Minute // a busy machine is no reason to drop an event here
	h.env = append(h.env, "BOARD_PORT="+strconv.Itoa(b.Port()), "BOARD_TOKEN=secret", "BOARD_AGENT_ID=ana", "BOARD_TASK=tea.md")
	var seen []string
	rec := h.Run(t.Context(), job, func(u Update) {
		if u.Event != nil && !u.Event.Running {
			seen = append(seen, u.Event.Kind)
		}
	})
	kinds, text := stored(t, h, rec)
	if want := []string{"session", "idle", "end", "report"}; !slices.Equal(kinds, want) {
		t.Errorf("stored %q, want %q\n%s", kinds, want, text)
	}
	if want := []string{"session", "idle", "end"}; !slices.Equal(seen, want) {
		t.Errorf("seen %q, want %q", seen, want)
	}
	for _, want := range seen {
		select {
		case e := <-got:
			if e.Kind != want || e.Agent != "ana" || e.Task != "tea.md" || e.Session == "" {
				t.Errorf("the board has %+v, want %s", e, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("the board has no %s", want)
		}
	}
}

// A board that takes connections and never answers: the run goes on, and its own log has everything.
func TestMuteBoard(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	h, job := retryHost(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("x")) })
	h.env = append(h.env, "BOARD_PORT="+strconv.Itoa(mute.Addr().(*net.TCPAddr).Port))
	rec := h.Run(t.Context(), job, nil)
	kinds, _ := stored(t, h, rec)
	if rec.State != proposal.Proposed || !slices.Equal(kinds, []string{"session", "idle", "end", "report"}) {
		t.Errorf("%s: %s, stored %q", rec.State, rec.Message, kinds)
	}
}

// What begins and has no end is stored as unfinished, whatever ends the run; the project's own checks are tests (o-ev-04).
func TestUnfinishedEvents(t *testing.T) {
	dir := t.TempDir()
	logs, err := openLogs(dir)
	if err != nil {
		t.Fatal(err)
	}
	h, _ := retryHost(t, nil)
	r := &run{host: h, logs: logs, watch: func(Update) {}, rec: proposal.Record{Run: "r", Agent: "claude"}, cfg: Config{Checks: []string{"./verify"}}}
	if err := r.openBoard(); err != nil {
		t.Fatal(err)
	}
	defer r.board.Close()
	for _, e := range []adapters.Event{
		{Session: "a", Kind: "command", Summary: "./verify all", Cmd: "./verify all", Running: true},
		{Session: "b", Kind: "command", Summary: "sleep 9", Cmd: "sleep 9", Running: true},
		{Session: "b", Kind: "command", Summary: "sleep 9", Cmd: "sleep 9", Running: true},
	} {
		r.event(e)
	}
	r.outcome.Session = "a"
	r.endEvents()
	logs.close()
	text, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"session":"a","kind":"test","summary":"./verify all","cmd":"./verify all","detail":"did not finish"}
{"v":1,"session":"a","kind":"end","summary":"claude ended: ","agent":"claude"}
{"v":1,"session":"b","kind":"command","summary":"sleep 9","cmd":"sleep 9","detail":"did not finish"}
`
	if got := strings.ReplaceAll(string(text), "ended:\"", "ended: \""); got != want {
		t.Errorf("stored\n%s\nwant\n%s", got, want)
	}
	if len(r.rec.Warnings) > 0 {
		t.Errorf("warned: %q", r.rec.Warnings)
	}
}

// A run without one event says so (o-ev-03).
func TestNoEvents(t *testing.T) {
	logs, err := openLogs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer logs.close()
	h, _ := retryHost(t, nil)
	r := &run{host: h, logs: logs, watch: func(Update) {}, rec: proposal.Record{Run: "r", Agent: "mine"}}
	if err := r.openBoard(); err != nil {
		t.Fatal(err)
	}
	defer r.board.Close()
	r.endEvents()
	if len(r.rec.Warnings) != 1 || !strings.Contains(r.rec.Warnings[0], "no live events") {
		t.Errorf("warned: %q", r.rec.Warnings)
	}
}

// The token that the user gave their runs is asked for by the run's own endpoint, and the agent is told it; where none was set, plain emitters work.
func TestRunsToken(t *testing.T) {
	for _, c := range []struct {
		set, given string
		want       int
	}{{"", "", 204}, {"", "x", 403}, {"secret", "secret", 204}, {"secret", "", 403}, {"secret", "another run's", 403}} {
		h, _ := retryHost(t, nil)
		if c.set != "" {
			h.env = append(h.env, "BOARD_TOKEN="+c.set)
		}
		logs, err := openLogs(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer logs.close()
		r := &run{host: h, logs: logs, watch: func(Update) {}, rec: proposal.Record{Run: "r", Agent: "mine"}}
		if err := r.openBoard(); err != nil {
			t.Fatal(err)
		}
		defer r.board.Close()
		var asked adapters.Request
		if r.sealed(&asked); asked.Board.Token != c.set {
			t.Errorf("BOARD_TOKEN=%s: the agent is told %q", c.set, asked.Board.Token)
		}
		req, err := http.NewRequest("POST", r.board.URL(), strings.NewReader(`{"v":1,"session":"s","kind":"edit"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if c.given != "" {
			req.Header.Set(board.TokenHeader, c.given)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("BOARD_TOKEN=%s, the emitter gives %q: %d, want %d", c.set, c.given, res.StatusCode, c.want)
		}
	}
}

// A project that names its board names the board's token beside it; the user's environment goes before both.
func TestProjectsBoard(t *testing.T) {
	r := taskProject(t, "work", map[string]string{"local/.env": "BOARD_PORT=4242\nBOARD_TOKEN=theirs\n"})
	for _, c := range []struct{ env, port, token string }{{"X=1", "4242", "theirs"}, {"BOARD_PORT=17", "17", ""}} {
		r.host.env = append(r.host.env, c.env)
		if s, err := r.host.taskSettingsFor(r.wiki, r.cfg, "work", confined); err != nil || s.Port != c.port || s.Token != c.token {
			t.Errorf("%s: %+v %v", c.env, s, err)
		}
	}
}
