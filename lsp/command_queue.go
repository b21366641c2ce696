package lsp

import (
	"context"
	"errors"

	"github.com/rigwiki/rig/wiki"
)

type queueArgs struct {
	URI string `json:"uri"`
}

// queuePause makes queued runs wait: of the wiki that the URI names, else of every wiki of the workspace. What runs goes on.
func (s *server) queuePause(_ context.Context, a queueArgs) (any, error) {
	return s.eachQueue(a, s.host.Pause)
}

// queueResume lets them go on.
func (s *server) queueResume(_ context.Context, a queueArgs) (any, error) {
	return s.eachQueue(a, s.host.Resume)
}

func (s *server) eachQueue(a queueArgs, do func(*wiki.Wiki) error) (any, error) {
	all, err := s.wikisOf(a.URI)
	if err != nil {
		return nil, err
	}
	var errs []error
	paused := map[string]bool{}
	for _, w := range all {
		errs = append(errs, do(w))
		paused[w.Root] = s.host.Paused(w)
	}
	return map[string]any{"paused": paused}, errors.Join(errs...)
}
