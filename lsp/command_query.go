package lsp

import (
	"context"
	"strings"

	"github.com/rigwiki/rig/wiki"
)

type queryArgs struct {
	Question string `json:"question"`
	URI      string `json:"uri"`
	Agent    string `json:"agent"`
}

type runAnswer struct {
	Run string `json:"run"`
}

// query asks the wiki.
func (s *server) query(_ context.Context, a queryArgs) (any, error) {
	if strings.TrimSpace(a.Question) == "" {
		return nil, invalid("rigwiki.query needs question")
	}
	w, err := s.wikiFor(a.URI)
	if err != nil {
		return nil, err
	}
	run, err := s.start(wiki.Job{Wiki: w, Op: "query", Question: a.Question, Agent: a.Agent}, "query "+a.Question)
	return runAnswer{run}, err
}

type lintArgs struct {
	URI   string `json:"uri"`
	Agent string `json:"agent"`
}

// lint starts the agent's semantic pass.
func (s *server) lint(_ context.Context, a lintArgs) (any, error) {
	w, err := s.wikiFor(a.URI)
	if err != nil {
		return nil, err
	}
	run, err := s.start(wiki.Job{Wiki: w, Op: "lint", Agent: a.Agent}, "lint "+w.Name)
	return runAnswer{run}, err
}
