package lsp

import (
	"cmp"
	"context"
	"slices"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

type runsArgs struct {
	URI   string `json:"uri"`
	Limit int    `json:"limit"` // a wiki; 100 where it is not given
}

// runDetail is a run as a view of runs shows it.
type runDetail struct {
	Run        string             `json:"run"`
	Wiki       string             `json:"wiki"` // its root, as the user opened it
	Op         string             `json:"op"`
	Agent      string             `json:"agent"`
	Model      string             `json:"model,omitempty"`
	State      proposal.State     `json:"state"`
	Title      string             `json:"title"`
	Message    string             `json:"message"`
	Started    string             `json:"started"`
	DurationMs int64              `json:"durationMs"`
	Files      int                `json:"files"`
	Refused    []proposal.Refusal `json:"refused"`
	Waits      bool               `json:"waits"`
	Undoable   bool               `json:"undoable"`
	Usage      any                `json:"usage,omitempty"`
}

// defaultRuns is how many runs of a wiki are listed.
const defaultRuns = 100

// runList lists the runs of this workspace, newest first, whatever became of them: those of its wikis, and those of tasks in its repositories.
func (s *server) runList(_ context.Context, a runsArgs) (any, error) {
	all, err := s.wikisOf(a.URI)
	if err != nil {
		return nil, err
	}
	if a.URI == "" {
		all = append(all, s.repositories()...)
	}
	if a.Limit <= 0 {
		a.Limit = defaultRuns
	}
	list := []runDetail{}
	for _, w := range all {
		recs, _, _, err := s.readShelf(w)
		if err != nil {
			return nil, err
		}
		for _, rec := range recs[:min(len(recs), a.Limit)] {
			list = append(list, detailOf(w, rec))
		}
	}
	slices.SortStableFunc(list, func(a, b runDetail) int { return cmp.Compare(b.Started, a.Started) })
	return map[string]any{"runs": list}, nil
}

// repositories are the git repositories of the workspace's folders that are no wikis themselves.
func (s *server) repositories() []*wiki.Wiki {
	var out []*wiki.Wiki
	known := map[string]bool{}
	for _, w := range s.wikis() {
		known[w.Real] = true
	}
	for _, folder := range s.folders.all() {
		if repo, err := wiki.Repository(folder); err == nil && !known[repo.Real] {
			known[repo.Real] = true
			out = append(out, repo)
		}
	}
	return out
}

func detailOf(w *wiki.Wiki, rec proposal.Record) runDetail {
	d := runDetail{Run: rec.Run, Wiki: w.Root, Op: rec.Op, Agent: rec.Agent, Model: rec.Model, State: rec.State, Title: rec.Title, Message: rec.Message,
		Started: rec.Started.UTC().Format("2006-01-02T15:04:05.000Z"), Files: len(rec.Files), Refused: rec.Refused, Waits: rec.Waits(), Usage: rec.Usage,
		Undoable: (rec.State == proposal.Applied || rec.State == proposal.Partly || rec.Tip != "") && rec.Undone.IsZero()}
	if d.Refused == nil {
		d.Refused = []proposal.Refusal{}
	}
	if !rec.Ended.IsZero() {
		d.DurationMs = rec.Ended.Sub(rec.Started).Milliseconds()
	}
	return d
}
