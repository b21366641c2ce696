package wiki

import (
	"context"
	"fmt"
	"time"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Import makes a proposal from a diff that somebody else made (unified, git's, GNU diff's, or rig's own). It is judged as a run's changes are.
func (h *Host) Import(ctx context.Context, w *Wiki, diff []byte, by string) (proposal.Record, error) {
	s, err := h.Store(w)
	if err != nil {
		return proposal.Record{}, err
	}
	drafts, err := proposal.FromPatch(diff, Disk(w))
	if err != nil {
		return proposal.Record{}, err
	}
	cfg, _, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return proposal.Record{}, err
	}
	now := time.Now().UTC()
	r := &run{host: h, wiki: w, cfg: cfg, op: Op{Name: "import", Writes: true}, store: s,
		rec: proposal.Record{Run: proposal.NewRunID(now, "import"), Wiki: w.Root, Op: "import", Agent: by, Title: "import a diff", Started: now, Confinement: "none: no agent ran"}}
	r.exit.Why, r.outcome.Started, r.outcome.Ended, r.outcome.OK = sandbox.Exited, true, true, true
	for _, d := range drafts {
		r.changes.List = append(r.changes.List, changesOf(d)...)
	}
	if err := s.Create(r.rec); err != nil {
		return proposal.Record{}, err
	}
	if err := r.judge(ctx); err != nil {
		return proposal.Record{}, err
	}
	e := r.end()
	r.rec.State, r.rec.Exit, r.rec.Message, r.rec.Ended = e.State, e.Exit, e.Message, time.Now().UTC()
	if err := s.Propose(&r.rec, r.verdict.Files, refusedTexts(r.verdict)); err != nil {
		return proposal.Record{}, fmt.Errorf("store the proposal: %w", err)
	}
	return r.rec, nil
}

// changesOf is a draft as the file system would have shown it: a rename is a delete and a create.
func changesOf(d proposal.Draft) []sandbox.Change {
	gone := sandbox.Change{Path: d.From, Kind: sandbox.Delete, Base: d.BaseText, HasBase: true}
	now := sandbox.Change{Path: d.Path, Kind: sandbox.Kind(d.Kind), Base: d.BaseText, HasBase: d.BaseText != nil, New: d.NewText, Size: int64(len(d.NewText)), Mode: 0o644}
	if d.Kind == "rename" {
		now.Kind, now.Base, now.HasBase = sandbox.Create, nil, false
		return []sandbox.Change{gone, now}
	}
	return []sandbox.Change{now}
}
