package adapters

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// recordedSetup is what opencode 1.18.33 printed when another one set up the database of the same new HOME.
func recordedSetup(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/failures/opencode-setup.stderr")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every way in which an agent's own database keeps it from a run is worth another try, and is told without SQL.
func TestDatabaseFailures(t *testing.T) {
	setup := recordedSetup(t)
	for name, c := range map[string]struct {
		text, kind, says string
	}{
		"recorded":      {setup, "busy", "another session of opencode was at its database"},
		"locked":        {"\x1b[91m\x1b[1mError: \x1b[0mUnexpected error\n\ndatabase is locked\n", "busy", "another session of opencode was at its database (database is locked)"},
		"cause below":   {setup + "cause: SQLiteError: table `workspace` already exists\n", "busy", "(table workspace already exists)"},
		"migration":     {"Error: Unexpected error\n\nFailed query: ALTER TABLE `workspace` ADD `time_used` integer NOT NULL DEFAULT 0;\nparams: ", "busy", "at its database"},
		"column":        {"SQLiteError: duplicate column name: time_used", "busy", "(duplicate column name: time_used)"},
		"registered":    {"Error: Unexpected error\n\nFailed query: INSERT INTO \"migration\" (id, time_completed) VALUES (?, ?)\nparams: 20260225215848_workspace,1780000500000", "busy", "at its database"},
		"unique":        {"UNIQUE constraint failed: migration.id", "busy", "(UNIQUE constraint failed: migration.id)"},
		"half made":     {"Error: Unexpected error\n\nDatabase is not empty and has no session table\n", "busy", "at its database"},
		"not there yet": {"SQLiteError: no such table: session", "busy", "(no such table: session)"},
		"first pragma":  {"Error: Unexpected error\n\nFailed query: PRAGMA journal_mode = WAL\nparams: ", "busy", "at its database"},
		"not stored":    {"\x1b[91m\x1b[1mError: \x1b[0mSession not found\n", "busy", "at its database"},
		"code":          {"SqliteError: SQLITE_BUSY_SNAPSHOT", "busy", "at its database"},
		"numbers":       {"Failed query: insert into `session` values (?)\nparams: 429,401", "busy", "at its database"},
		"words":         {"Failed query: CREATE TABLE `account` (`oauth token` text, `connection` text)\nparams: ", "busy", "at its database"},
		"full":          {"Failed query: insert into `session`\nparams: \ncause: database or disk is full", "config", "opencode cannot use its database (database or disk is full)"},
		"read-only":     {"attempt to write a readonly database", "config", "(readonly database)"},
		"broken":        {"database disk image is malformed", "config", "malformed"},
		"below a log":   {"timestamp=2026-11-30T19:21:18.345Z level=ERROR run=22f2f3a7 message=fatal error=\"database is locked\"\nError: Unexpected error\n\ndatabase is locked\n", "busy", "(database is locked)"},
		"another":       {"NotFoundError: session ses_zz is unknown", "other", "ses_zz"},
	} {
		stream, err := json.Marshal(map[string]any{"type": "error", "sessionID": "s", "error": map[string]any{"name": "UnknownError", "data": map[string]any{"message": c.text}}})
		if err != nil {
			t.Fatal(err)
		}
		judged := map[string]*Failure{"stderr": StderrFailure("opencode", []byte(c.text))}
		if name != "not stored" { // that is a line of stderr
			judged["stream"] = decode(opencode{}, strings.NewReader(string(stream))).Outcome.Failure
		}
		for way, f := range judged {
			if f == nil || f.Kind != c.kind || f.Retryable != (c.kind == "busy") || !strings.Contains(f.Message, c.says) || f.Hint == "" {
				t.Errorf("%s by %s: %+v", name, way, f)
				continue
			}
			if c.kind != "other" && strings.ContainsAny(f.Message, "`\n;?\"") {
				t.Errorf("%s by %s is no sentence: %q", name, way, f.Message)
			}
		}
	}
}

// Over the protocol it comes in an error's message, in its data alone, or on stderr of an agent that went away.
func TestDatabaseFailuresOverACP(t *testing.T) {
	setup := recordedSetup(t)
	for name, err := range map[string]*acp.RequestError{
		"message": {Code: -32603, Message: setup},
		"data":    {Code: -32603, Message: "Internal error", Data: map[string]any{"details": setup}},
		"cause":   {Code: -32603, Message: "Internal error", Data: map[string]any{"cause": map[string]any{"code": "SQLITE_BUSY", "message": "database is locked"}}},
		"text":    {Code: -32603, Message: "Internal error", Data: "SQLiteError: table `workspace` already exists"},
	} {
		d, _ := talk(t, t.Context(), acpRequest("query"), func(context.Context, *fakeACP, acp.PromptRequest) (acp.StopReason, error) { return "", err })
		f := d.Outcome.Failure
		if f == nil || f.Kind != "busy" || !f.Retryable || !strings.HasPrefix(f.Message, "another session of codex-acp was at its database") || strings.Contains(f.Message, "CREATE") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	r := acpRequest("query")
	r.Cwd = "/leave"
	d, _ := talk(t, t.Context(), r, nil)
	if d.Outcome.Started || d.Outcome.Failure == nil || d.Outcome.Failure.Kind != "no-turn" {
		t.Fatalf("an agent that left: %+v, failure %+v", d.Outcome, d.Outcome.Failure)
	}
	if d.Outcome.NeverBegan("opencode", []byte(setup)); d.Outcome.Failure.Kind != "busy" || !d.Outcome.Failure.Retryable {
		t.Errorf("with its stderr: %+v", d.Outcome.Failure)
	}
}

// On a HOME without a database of opencode's each run has its own, so that none can meet another in it; a user's is kept.
func TestOpencodeDatabase(t *testing.T) {
	for _, agent := range []string{"opencode", "acp"} {
		for name, had := range map[string]bool{"": false, "opencode.db": true, "opencode-nightly.db": true} {
			env := Env{Home: t.TempDir()}
			if name != "" {
				dir := filepath.Join(env.Home, ".local/share/opencode")
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := planRequest(agent, "ingest")
			r.Detection.Path = "/opt/agents/bin/opencode"
			r.Detection = withDatabase(r.Detection, env)
			inv, err := builtinByName(agent).Plan(r)
			if err != nil {
				t.Fatal(err)
			}
			if own := slices.Contains(inv.Env, "OPENCODE_DB=:memory:"); own == had {
				t.Errorf("%s with %q in HOME: %q", agent, name, inv.Env)
			}
			if !r.Detection.has("dir") {
				t.Errorf("%s: what was not probed counts as missing", agent)
			}
		}
	}
}
