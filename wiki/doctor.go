package wiki

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rigwiki/rig/sandbox"
)

// Health is what `rig wiki doctor` and rigwiki.status tell.
type Health struct {
	Wiki     string      `json:"wiki,omitempty"`
	Layout   Layout      `json:"layout,omitempty"`
	Sandbox  string      `json:"sandbox"` // layer and tier, and why no better one
	Agents   []AgentInfo `json:"agents"`
	Warnings []string    `json:"warnings"` // of the configuration
	Live     []string    `json:"live"`     // runs queued or running in this process
}

// Doctor looks at what works here. w may be nil.
func (h *Host) Doctor(ctx context.Context, w *Wiki) (Health, error) {
	cfg, warnings, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return Health{}, err
	}
	agents, err := h.Agents(ctx, w, nil)
	if err != nil {
		return Health{}, err
	}
	root := ""
	r := Health{Agents: agents, Warnings: append([]string{}, warnings...), Live: h.Live()}
	if w != nil {
		root, r.Wiki, r.Layout = w.Real, w.Root, w.Layout
	}
	c, done, err := h.choice(cfg, "")
	if err != nil {
		return Health{}, err
	}
	defer done()
	if w == nil { // HOME itself can be no wiki's folder: it is hidden from agents
		root = filepath.Join(c.Scratch, "wiki")
		if err := os.Mkdir(root, 0o700); err != nil {
			return Health{}, fmt.Errorf("make a folder for trial runs: %w", err)
		}
	} else {
		if foreign, err := sandbox.FindForeign(ctx, w.Real, shownToAgents(w)); err == nil && foreign != "" {
			c.Foreign = []string{foreign}
		}
	}
	r.Sandbox = sandbox.Probe(ctx, root, h.home, c).String()
	return r, nil
}
