package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rigwiki/rig/wiki/proposal"
)

// kept is a file of a run's record, empty where the run has none (yet).
func kept(store *proposal.Store, rec proposal.Record, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(store.Dir(rec.Run), name))
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read %s of %s: %w", name, rec.Run, err)
	}
	return text, nil
}

// timeline tells what an agent did, in markdown, a line an event. A line that is none is passed over: the file may end in the middle of one.
func timeline(store *proposal.Store, rec proposal.Record) ([]byte, error) {
	raw, err := kept(store, rec, "events.jsonl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s, %s\n\n", rec.Title, rec.Agent, rec.State)
	for line := range bytes.Lines(raw) {
		var e struct { // of an event, what a reader wants (design, section 9)
			Kind    string `json:"kind"`
			Summary string `json:"summary"`
			OK      *bool  `json:"ok"`
			Running bool   `json:"running"` // the live line, of which the completed event follows
		}
		if json.Unmarshal(line, &e) != nil || e.Running {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s", e.Kind, e.Summary)
		if e.OK != nil && !*e.OK {
			b.WriteString(" (failed)")
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}
