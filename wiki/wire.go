package wiki

import (
	"context"
	"errors"
	"fmt"

	"github.com/rigwiki/rig/adapters"
)

// Wired is what wiring did for one agent.
type Wired struct {
	Agent  string               `json:"agent"`
	Status string               `json:"status"` // ok, fixed, none, failed
	Files  []adapters.WiredFile `json:"files"`
	Lines  []string             `json:"lines,omitempty"`
}

// WireBuiltin is Wire for a built-in agent, whatever adapter of a folder has its name: an exported adapter's wire calls it.
func (h *Host) WireBuiltin(ctx context.Context, name string, r adapters.WireRequest) ([]Wired, error) {
	cfg, _, err := LoadConfig(h.rigHome, nil, nil)
	if err != nil {
		return nil, err
	}
	r.Env = h.adapterEnv(nil, cfg)
	a, err := adapters.NewRegistry(r.Env).Builtin(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAgent, err)
	}
	return wireAll(ctx, []adapters.Adapter{a}, r)
}

// Wire makes a project's own interactive sessions report events, or takes that back, for the agent called name or, where that is "", for every one
// there is (design, section 8). Adapters of the project itself count where the user trusts it. One that fails does not keep the others from their
// turn; the error is a [*ConfigError] where a settings file is broken, which is left as it is.
func (h *Host) Wire(ctx context.Context, name string, r adapters.WireRequest) ([]Wired, error) {
	cfg, _, err := LoadConfig(h.rigHome, nil, nil)
	if err != nil {
		return nil, err
	}
	r.Env = h.adapterEnv(nil, cfg)
	if Trusted(h.rigHome, r.Project) {
		r.Env.Project = r.Project
	}
	reg := adapters.NewRegistry(r.Env)
	list := reg.List()
	if name != "" {
		a, err := reg.Find(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAgent, err)
		}
		list = []adapters.Adapter{a}
	}
	return wireAll(ctx, list, r)
}

func wireAll(ctx context.Context, list []adapters.Adapter, r adapters.WireRequest) (all []Wired, err error) {
	var errs []error
	for _, a := range list {
		report, err := a.Wire(ctx, r)
		w := Wired{Agent: a.Name(), Status: report.Status, Files: append([]adapters.WiredFile{}, report.Files...), Lines: report.Lines}
		if err != nil {
			w.Status, w.Lines = "failed", append(w.Lines, err.Error())
			errs = append(errs, wireError(a.Name(), err))
		}
		all = append(all, w)
	}
	return all, errors.Join(errs...)
}

// wireError gives a broken settings file the place that a broken configuration has.
func wireError(agent string, err error) error {
	var s *adapters.SettingsError
	if errors.As(err, &s) {
		return &ConfigError{File: s.File, Line: s.Line, Column: s.Column, Msg: s.Msg}
	}
	return fmt.Errorf("wire %s: %w", agent, err)
}
