package wiki

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestMain lets the test binary be a sandbox's helper and, under the name claude, an agent whose turns a server decides.
func TestMain(m *testing.M) {
	if sandbox.Main() {
		return
	}
	if filepath.Base(os.Args[0]) == "claude" {
		fakeClaude()
		return
	}
	os.Exit(m.Run())
}

// fakeClaude asks ANTHROPIC_BASE_URL what to do: a status that is not 200 is reported as the vendor reports it; "write" and "half" change a page.
func fakeClaude() {
	if len(os.Args) == 2 {
		fmt.Println("2.1.197 (Claude Code)")
		return
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	answer, err := http.Get(os.Getenv("ANTHROPIC_BASE_URL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if answer.StatusCode == http.StatusLocked { // as agents do whose own database is in use: nothing on stdout
		fmt.Fprint(os.Stderr, "Error: Unexpected error\n\nFailed query: \n        CREATE TABLE `workspace` (\n          `id` text PRIMARY KEY\n        );\n      \nparams: \n")
		os.Exit(1)
	}
	fmt.Println(`{"type":"system","subtype":"init","session_id":"s","model":"m"}`)
	text, _ := io.ReadAll(answer.Body)
	if len(text) > 0 {
		if err := os.WriteFile("concepts/"+string(text)+".md", []byte("---\ntitle: X\ntype: concept\n---\n# X\n"), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if answer.StatusCode != http.StatusOK {
		fmt.Printf(`{"type":"result","subtype":"success","is_error":true,"api_error_status":%d,"num_turns":1,"total_cost_usd":0.25,"result":"API Error: %[1]d"}`+"\n", answer.StatusCode)
		os.Exit(1)
	}
	fmt.Println(`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"total_cost_usd":0.25,"result":"INGEST DONE: x"}`)
}

// An answer is one try's.
type answer struct {
	status int
	page   string // written before the answer is judged
}

func TestRetry(t *testing.T) {
	busy, broken, good := answer{status: 429}, answer{status: 500}, answer{status: 200, page: "x"}
	for name, c := range map[string]struct {
		answers []answer // the last one repeats
		timeout time.Duration
		waits   []time.Duration
		layer   string
		tries   int64
		state   proposal.State
		message string // a part of the record's
		told    string // a part of some progress message, "" for none of a retry
	}{
		"first try":           {answers: []answer{good}, tries: 1, state: proposal.Proposed, message: "1 page"},
		"rate limited":        {answers: []answer{busy, good}, tries: 2, state: proposal.Proposed, message: "1 page", told: "rate limited, trying again in 0 s"},
		"server error":        {answers: []answer{broken, busy, good}, tries: 3, state: proposal.Proposed, message: "1 page", told: "the model's API failed, trying again"},
		"gives up":            {answers: []answer{busy}, tries: 4, state: proposal.Failed, message: "API Error: 429 (tried 4 times)", told: "rate limited"},
		"in use":              {answers: []answer{{status: 423}, good}, tries: 2, state: proposal.Proposed, message: "1 page", told: "another session of claude holds its database"},
		"in use for long":     {answers: []answer{{status: 423}}, tries: 4, state: proposal.Failed, message: "another session of claude was at its database (tried 4 times)", told: "holds its database"},
		"in use, unconfined":  {answers: []answer{{status: 423}, good}, layer: "D", tries: 2, state: proposal.Proposed, message: "1 page", told: "holds its database"},
		"limited, unconfined": {answers: []answer{busy, good}, layer: "D", tries: 1, state: proposal.Failed, message: "API Error: 429"},
		"no login":            {answers: []answer{{status: 401}}, tries: 1, state: proposal.Failed, message: "API Error: 401"},
		"had written":         {answers: []answer{{500, "half"}, good}, tries: 1, state: proposal.Failed, message: "API Error: 500"},
		"past the limit":      {answers: []answer{busy}, timeout: 30 * time.Second, waits: []time.Duration{time.Minute}, tries: 1, state: proposal.Failed, message: "429"},
	} {
		t.Run(name, func(t *testing.T) {
			var tries atomic.Int64
			h, job := retryHost(t, func(w http.ResponseWriter, _ *http.Request) {
				a := c.answers[min(int(tries.Add(1)), len(c.answers))-1]
				w.WriteHeader(a.status)
				_, _ = io.WriteString(w, a.page)
			})
			h.waits = make([]time.Duration, 3)
			if c.waits != nil {
				h.waits = c.waits
			}
			job.Timeout, job.Layer = c.timeout, c.layer
			if c.layer == "D" {
				if err := os.MkdirAll(h.rigHome, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(h.rigHome, "config.json5"), []byte(`{"wiki":{"sandbox.allowUnconfined":true}}`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var told []string
			rec := h.Run(t.Context(), job, func(u Update) { told = append(told, u.Message) })
			if tries.Load() != c.tries || rec.State != c.state || !strings.Contains(rec.Message, c.message) {
				t.Errorf("%d tries, %s: %q (%q), want %d, %s: %q", tries.Load(), rec.State, rec.Message, rec.Hint, c.tries, c.state, c.message)
			}
			paid := 0.0 // by every try that the model answered
			for n := range int(tries.Load()) {
				if c.answers[min(n, len(c.answers)-1)].status != http.StatusLocked {
					paid += 0.25
				}
			}
			if used := rec.Usage.(adapters.Usage); used.CostUSD != paid {
				t.Errorf("the record tells %v USD of %v", used.CostUSD, paid)
			}
			if said := strings.Join(told, "\n"); c.told != "" && !strings.Contains(said, c.told) || c.told == "" && strings.Contains(said, "trying again") {
				t.Errorf("told %q, want %q", said, c.told)
			}
			if left, _ := filepath.Glob(filepath.Join(h.rigHome, "cache", "sandbox", "*", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestRetryCancel cancels a run while it waits for its next try.
func TestRetryCancel(t *testing.T) {
	h, job := retryHost(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) })
	h.waits = []time.Duration{time.Hour}
	job.Timeout = 3 * time.Hour
	job.Run = "cancel-me"
	rec := h.Run(t.Context(), job, func(u Update) {
		if strings.Contains(u.Message, "trying again") {
			go h.Cancel("cancel-me")
		}
	})
	if rec.State != proposal.Cancelled || rec.Exit != ExitCancelled {
		t.Errorf("%s (%d): %s", rec.State, rec.Exit, rec.Message)
	}
}

// retryHost is a host with a wiki of one source, whose claude asks the handler.
func retryHost(t *testing.T, handle http.HandlerFunc) (*Host, Job) {
	t.Helper()
	top := t.TempDir()
	for _, d := range []string{"home", "bin"} {
		if err := os.Mkdir(filepath.Join(top, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(top, "bin", "claude")); err != nil {
		t.Fatal(err)
	}
	w, _, err := Init(filepath.Join(top, "wiki"), InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Real, "raw", "x.md"), []byte("# X\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	h, err := NewHost(Options{RigHome: filepath.Join(top, "rig"), Env: []string{
		"HOME=" + filepath.Join(top, "home"), "PATH=" + filepath.Join(top, "bin") + ":/usr/bin:/bin", "ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=k",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, Job{Wiki: w, Op: "ingest", Sources: []string{"raw/x.md"}, Agent: "claude", By: "cli"}
}
