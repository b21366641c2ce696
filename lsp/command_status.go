package lsp

import (
	"context"
)

type cancelArgs struct {
	Run string `json:"run"`
}

// cancelRun ends a run. One that has ended already is no error: commands may come late and twice.
func (s *server) cancelRun(_ context.Context, a cancelArgs) (any, error) {
	if a.Run == "" {
		return nil, invalid("rigwiki.cancel needs run")
	}
	return map[string]any{"run": a.Run, "cancelled": s.host.Cancel(a.Run)}, nil
}

// status tells what this session knows: wikis, runs under way, proposals that wait.
func (s *server) status(ctx context.Context, _ noArgs) (any, error) {
	type wikiStatus struct {
		Name      string    `json:"name"`
		Root      string    `json:"root"`
		Layout    string    `json:"layout"`
		Rung      string    `json:"rung"` // of the preview ladder
		Paused    bool      `json:"paused"`
		Sandbox   string    `json:"sandbox"` // layer and tier of a run there, or why there is none
		Proposals []runLine `json:"proposals"`
	}
	wikis := []wikiStatus{}
	for _, w := range s.wikis() {
		lines, err := s.waiting(w)
		if err != nil {
			return nil, err
		}
		sandbox, err := s.host.Sandbox(ctx, w)
		if err != nil {
			sandbox = err.Error()
		}
		wikis = append(wikis, wikiStatus{Name: w.Name, Root: w.Root, Layout: string(w.Layout), Rung: s.rung(w).String(), Paused: s.host.Paused(w), Sandbox: sandbox, Proposals: lines})
	}
	live := s.runs.live()
	if live == nil {
		live = []string{}
	}
	return map[string]any{"version": s.version, "encoding": string(s.caps.encoding), "runs": live, "wikis": wikis}, nil
}
