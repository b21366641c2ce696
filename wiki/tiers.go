package wiki

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/sandbox"
)

// tierCache is cache/tiers.json below RIG_HOME: which tier was found to work, by what the finding depends on. A real try costs tens of milliseconds, more than
// a small run; a tier that then breaks in set-up ends the run with an error and is forgotten, so that the next run tries again.
type tierCache map[string]string

func (h *Host) tierFile() string { return filepath.Join(h.rigHome, "cache", "tiers.json") }

// tierKey is what a finding depends on: the boot, the user, our binary, the wiki's folder, HOME and what was asked for.
func (h *Host) tierKey(root string, c sandbox.Choice) string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // elsewhere the other parts tell enough
	parts := []string{strings.TrimSpace(string(boot)), fmt.Sprint(os.Geteuid()), h.home, c.Layer, fmt.Sprint(c.AllowUnconfined)}
	for _, path := range []string{h.self, root} {
		if fi, err := os.Stat(path); err == nil && path == h.self {
			parts = append(parts, path, fmt.Sprint(fi.Size(), fi.ModTime().UnixNano()))
		} else {
			parts = append(parts, path, fileIdentity(path))
		}
	}
	return strings.Join(parts, "|")
}

// layer is the sandbox layer for a wiki: what was asked for by name, or the best that was found to work.
func (h *Host) layer(ctx context.Context, w *Wiki, cfg Config, name string) (sandbox.Layer, error) {
	return h.layerFor(ctx, w.Real, shownToAgents(w), cfg, name)
}

// layerAt is the layer for a folder that was made for a run: all of it is ours.
func (h *Host) layerAt(ctx context.Context, root string, cfg Config, name string) (sandbox.Layer, error) {
	return h.layerFor(ctx, root, nil, cfg, name)
}

// layerFor looks for what is foreign where hide is given, and not hidden.
func (h *Host) layerFor(ctx context.Context, root string, hide func(string, fs.DirEntry) bool, cfg Config, name string) (sandbox.Layer, error) {
	if l, ok := h.knownLayer(root, cfg, name); ok {
		return l, nil
	}
	key := h.tierKey(root, choice(cfg, name))
	c, done, err := h.choice(cfg, name)
	if err != nil {
		return nil, err
	}
	defer done()
	if hide != nil {
		if foreign, err := sandbox.FindForeign(ctx, root, hide); err == nil && foreign != "" { // a folder that cannot be read fails every try, and is told by them
			c.Foreign = []string{foreign}
		}
	}
	l, report, err := sandbox.Auto(ctx, root, h.home, c)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, &ending{State: "failed", Exit: ExitFailed, Message: "no sandbox can be had here: " + err.Error(),
			Hint: "see `rig wiki doctor`; sandbox.allowUnconfined in config.json5 runs agents without protection"}
	}
	h.keepTier(key, report.Tier)
	return l, nil
}

// knownLayer is the layer that was found to work before; false where it has to be tried.
func (h *Host) knownLayer(root string, cfg Config, name string) (sandbox.Layer, bool) {
	c := choice(cfg, name)
	tier, ok := h.readTiers()[h.tierKey(root, c)]
	if !ok {
		return nil, false
	}
	return sandbox.Tier(tier, c)
}

// Sandbox says in one line what a run in the wiki would be confined by; the error says why there is no sandbox.
func (h *Host) Sandbox(ctx context.Context, w *Wiki) (string, error) {
	cfg, _, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return "", err
	}
	l, err := h.layer(ctx, w, cfg, "")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s, tier %s", l.Name(), h.readTiers()[h.tierKey(w.Real, choice(cfg, ""))]), nil
}

func (h *Host) readTiers() tierCache {
	t := tierCache{}
	if text, err := os.ReadFile(h.tierFile()); err == nil {
		_ = json.Unmarshal(text, &t) // a broken cache only costs a try
	}
	return t
}

// keepTier remembers a finding; "" forgets it. The file is replaced whole; of two writers one is forgotten, which costs a try.
func (h *Host) keepTier(key, tier string) {
	t := h.readTiers()
	if len(t) > 200 { // old boots, binaries and wikis
		clear(t)
	}
	if t[key] = tier; tier == "" {
		delete(t, key)
	}
	text, err := json.Marshal(t)
	if err != nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(h.tierFile()), 0o700); err != nil {
		return
	}
	tmp := fmt.Sprintf("%s.%d", h.tierFile(), os.Getpid())
	if err := os.WriteFile(tmp, text, 0o600); err == nil {
		_ = os.Rename(tmp, h.tierFile())
	}
}

// watchOwners makes the next run try again where the wiki came to hold something of another user's. It is run beside an agent, whose run has its layer.
func (h *Host) watchOwners(ctx context.Context, w *Wiki, cfg Config, name string) {
	c := choice(cfg, name)
	key := h.tierKey(w.Real, c)
	if tier := h.readTiers()[key]; tier != "A" && tier != "A2" {
		return
	}
	if foreign, err := sandbox.FindForeign(ctx, w.Real, shownToAgents(w)); err == nil && foreign != "" {
		h.keepTier(key, "")
	}
}

// shownToAgents leaves out what an overlay need not be able to change: what is hidden, and what is the human's.
func shownToAgents(w *Wiki) func(rel string, d fs.DirEntry) bool {
	return func(rel string, d fs.DirEntry) bool { return slices.Contains(w.Human, rel) || HideEntry(rel, d) }
}

// forgetTier makes the next run try again.
func (h *Host) forgetTier(w *Wiki, cfg Config, name string) {
	h.keepTier(h.tierKey(w.Real, choice(cfg, name)), "")
}

// choice is choice with a folder for trial runs on the file system that runs use; done removes what is empty of it.
func (h *Host) choice(cfg Config, name string) (c sandbox.Choice, done func(), err error) {
	c = choice(cfg, name)
	scratch := filepath.Join(h.rigHome, "cache", "sandbox")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return c, nil, fmt.Errorf("make a folder for trial runs: %w", err)
	}
	old, _ := filepath.Glob(filepath.Join(scratch, "try-*")) // of a process that died in a try
	for _, dir := range old {
		if fi, err := os.Stat(dir); err == nil && time.Since(fi.ModTime()) > time.Hour {
			_ = sandbox.Remove(dir)
		}
	}
	if c.Scratch, err = os.MkdirTemp(scratch, "try-"); err != nil {
		return c, nil, fmt.Errorf("make a folder for trial runs: %w", err)
	}
	return c, func() { _ = sandbox.Remove(c.Scratch) }, nil
}

func choice(cfg Config, name string) sandbox.Choice {
	return sandbox.Choice{Layer: cmp.Or(name, cfg.Sandbox.Layer), AllowUnconfined: cfg.Sandbox.AllowUnconfined, Hide: HideEntry}
}
