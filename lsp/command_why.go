package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/proposal"
)

type whyArgs struct {
	Run  string `json:"run"`
	Path string `json:"path"`
}

// proposalWhy says, and shows, where a change comes from: run, agent, source, and why it is flagged.
func (s *server) proposalWhy(_ context.Context, a whyArgs) (any, error) {
	_, _, rec, err := s.record(a.Run)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rec.Files, func(f proposal.File) bool { return f.Path == a.Path || f.From == a.Path })
	if i < 0 {
		return nil, invalid("%s is not in the proposal of run %s", a.Path, a.Run)
	}
	f := rec.Files[i]
	parts := []string{fmt.Sprintf("%s: %s proposes to %s it (+%d -%d), from %s", f.Path, rec.Agent, f.Kind, f.Added, f.Removed, rec.Title)}
	for _, fl := range f.Flags {
		parts = append(parts, "flagged "+fl.Rule+": "+fl.Reason)
	}
	if rec.Message != "" {
		parts = append(parts, "the run said: "+rec.Message)
	}
	said := strings.Join(parts, "; ")
	s.tell(messageInfo, said)
	return map[string]any{"run": a.Run, "path": a.Path, "why": said}, nil
}
