package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters/adaptertest"
)

// fakeClaude is a desk whose claude is a shell script; turn is what it does once it has the prompt.
func fakeClaude(t testing.TB, turn string) *desk {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a shell script")
	}
	return layDesk(t, realAgent{name: "claude", setup: func(d *desk) {
		bin := adaptertest.Fake(d.t, filepath.Join(d.top, "bin"), "claude", "case $1 in --*) echo 2.1.197; exit;; esac\ncat >/dev/null\n"+turn)
		d.vars[0] = "PATH=" + filepath.Dir(bin) + ":" + os.Getenv("PATH")
	}}, "/nowhere", nil)
}

// TestRetriesForEver: an agent that would ask its model again and again is ended by the time limit or, where it falls silent, by the limit for that, with
// its children; the run says what it waited for.
func TestRetriesForEver(t *testing.T) {
	const begin = `echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
again() { echo '{"type":"system","subtype":"api_retry","attempt":'$1',"max_retries":10,"retry_delay_ms":200,"error_status":429,"error":"rate_limit"}'; sleep 0.2; }
trap '' TERM INT
echo half >> overview.md
`
	for name, c := range map[string]struct{ turn, setting, says string }{
		"deadline": {begin + `while :; do again 1; done`, "timeout", ", its time limit"},
		"silence":  {begin + `again 1; again 2; while :; do sleep 1; done`, "idleTimeout", " without a sign of life"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fakeClaude(t, c.turn)
			for limit := 2 * time.Second; ; limit *= 4 {
				d.config(`{wiki: {` + c.setting + `: "` + limit.String() + `"}}`)
				w := d.do(124, "ingest", "raw/roses.md")
				text, err := os.ReadFile(d.runFile(w, "stdout.log"))
				if err != nil {
					t.Fatal(err)
				}
				if strings.Count(string(text), "api_retry") < 2 && limit < time.Minute {
					continue // on a busy machine it had not begun
				}
				want := "claude was stopped after " + limit.String() + c.says + "; it was trying again after an error of its model's API: rate limit"
				if w.Data.State != "timed-out" || w.Data.Message != want {
					t.Errorf("%s: %q, want %q", w.Data.State, w.Data.Message, want)
				}
				if len(w.Data.Files) > 0 || len(w.Data.Refused) != 1 || w.Data.Refused[0].Rule != "unfinished-run" {
					t.Errorf("files %+v, refused %+v", w.Data.Files, w.Data.Refused)
				}
				break
			}
			if left := d.processes(); len(left) > 0 {
				t.Errorf("processes are left: %q", left)
			}
			d.untouched()
		})
	}
}
