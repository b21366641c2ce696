package lsp

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestEvents: a client that wants notifications hears each event of a run, and of sessions that post to the server's own endpoint.
func TestEvents(t *testing.T) {
	posted := make(chan any, 1)
	start := func(init string) (*lsptest.Editor, string) {
		root := newWiki(t, nil)
		h := newFakeHost(t, func(_ context.Context, _ wiki.Job, tell func(wiki.Update)) outcome {
			tell(wiki.Update{State: proposal.Running, Message: "x", Event: &adapters.Event{V: 1, Session: "s", Kind: "read", Summary: "read a.md"}})
			return outcome{state: proposal.Empty, message: "nothing"}
		})
		e := lsptest.Start(t, func(ctx context.Context, rwc io.ReadWriteCloser) (int, error) {
			return serve(ctx, rwc, Options{Host: h, Log: testLog(t), Events: posted}, patient(t))
		}, lsptest.Options{Root: root, Profile: lsptest.NoApply(), Init: init})
		return e, ingest(t, e, root)
	}
	e, run := start(notifying)
	posted <- adapters.Event{V: 1, Session: "other", Kind: "test", Summary: "go test"}
	want := map[string]string{run: "read a.md", "": "go test"}
	for deadline := time.Now().Add(lsptest.Hang); len(want) > 0; time.Sleep(2 * time.Millisecond) {
		for _, raw := range e.Notes(methodEvent) {
			var n struct {
				Run   string
				Event adapters.Event
			}
			if err := json.Unmarshal(raw, &n); err != nil {
				t.Fatal(err)
			}
			if want[n.Run] == n.Event.Summary {
				delete(want, n.Run)
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("never told: %v", want)
		}
	}
	quiet, _ := start(`{"notifications":false}`)
	if got := quiet.Shutdown(); got != 0 || len(quiet.Notes(methodEvent)) > 0 {
		t.Errorf("exit %d, told %d", got, len(quiet.Notes(methodEvent)))
	}
}
