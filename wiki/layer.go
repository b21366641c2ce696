package wiki

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// runDir makes the private folder that a run's sandbox lives in.
func (h *Host) runDir(w *Wiki, run string) (string, error) {
	dir := filepath.Join(h.rigHome, "cache", "sandbox", w.ID, run)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the sandbox's folder: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// sweep removes what runs that died left behind: those of the lane whose lock the caller holds, and those of tasks that nobody is at.
func (h *Host) sweep(w *Wiki, s *proposal.Store, lane string) error {
	dir := filepath.Join(h.rigHome, "cache", "sandbox", w.ID)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep old sandboxes: %w", err)
	}
	recs, _, err := s.List()
	if err != nil {
		return err
	}
	lanes := map[string]string{}
	for _, rec := range recs {
		lanes[rec.Run] = laneOf(w, rec)
	}
	alive := h.livingLanes(lane)
	for _, e := range entries {
		if alive(cmp.Or(lanes[e.Name()], w.ID)) {
			continue
		}
		if err := removeRunDir(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("sweep an old sandbox: %w", err)
		}
	}
	for _, rec := range recs {
		if rec.State == proposal.Running && !alive(lanes[rec.Run]) {
			rec.State, rec.Exit, rec.Message = proposal.Failed, ExitFailed, "the program that ran it died"
			if err := s.Save(rec); err != nil {
				return err
			}
		}
	}
	if _, err := s.Prune(keepRuns, keepAge); err != nil {
		return fmt.Errorf("prune old runs: %w", err)
	}
	return nil
}

// livingLanes tells of a lane whether somebody else is at work in it. The caller's own is dead but for the caller. Each is asked once.
func (h *Host) livingLanes(own string) func(lane string) bool {
	known := map[string]bool{own: false}
	return func(lane string) bool {
		alive, asked := known[lane]
		if !asked {
			alive = held(h.rigHome, lane)
			known[lane] = alive
		}
		return alive
	}
}

// What is kept of a wiki's runs: the newest so many, none older than the age, and every proposal that waits.
const (
	keepRuns = 300
	keepAge  = 90 * 24 * time.Hour
)

// removeRunDir removes a run's folder and the wiki's folder above it where that is empty.
func removeRunDir(dir string) error {
	if err := sandbox.Remove(dir); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(dir)) // not empty: other runs
	return nil
}

// describe says in one line what a run's box enforces.
func describe(c sandbox.Confinement) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (tier %s)", c.Layer, c.Tier)
	for _, p := range []struct {
		holds    bool
		yes, not string
	}{
		{c.HostWrites, "host read-only", "NOT CONFINED: the agent can write outside the sandbox"},
		{c.HostSecrets, "HOME hidden", "HOME readable"},
		{c.Processes, "no process outlives the run", "processes may outlive the run"},
	} {
		b.WriteString("; ")
		if p.holds {
			b.WriteString(p.yes)
		} else {
			b.WriteString(p.not)
		}
	}
	fmt.Fprintf(&b, "; network %s", c.Network)
	for _, m := range c.Missing {
		b.WriteString("; " + m)
	}
	return b.String()
}

// loopbacks are the loopback addresses that URLs in "K=V" variables name: a model server or a board that the user runs here.
func loopbacks(env []string) []string {
	var out []string
	for _, kv := range env {
		_, v, _ := strings.Cut(kv, "=")
		u, err := url.Parse(v)
		if err != nil || u.Port() == "" || (u.Scheme != "http" && u.Scheme != "https") {
			continue
		}
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() && ip.To4() != nil {
			host := "127.0.0.1"
			if ip != nil {
				host = ip.String()
			}
			out = append(out, net.JoinHostPort(host, u.Port()))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// configEnv is `agent.<name>.env` as "K=V".
func configEnv(c adapters.AgentConfig) []string {
	env := make([]string, 0, len(c.Env))
	for k, v := range c.Env {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env
}

// manifest is the stat identity of every regular file of a folder. It is made only where nothing keeps an agent from writing there.
type manifest map[string]string

func takeManifest(ctx context.Context, root string) (manifest, error) {
	m := manifest{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !d.Type().IsRegular() {
			return nil
		}
		fi, err := d.Info()
		if err != nil {
			return nil // gone between the listing and now: its absence will tell
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		m[filepath.ToSlash(rel)] = fmt.Sprint(fi.Size(), fi.ModTime().UnixNano(), fi.Mode())
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("note the wiki's files: %w", err)
	}
	return m, nil
}

// diff are the paths that differ, sorted.
func (m manifest) diff(after manifest) []string {
	var out []string
	for rel, id := range m {
		if after[rel] != id {
			out = append(out, rel)
		}
	}
	for rel := range after {
		if _, had := m[rel]; !had {
			out = append(out, rel)
		}
	}
	slices.Sort(out)
	return out
}

// Chosen is the agent and the model that a job would run with.
func (h *Host) Chosen(job Job) (agent, model string, err error) {
	cfg, _, err := LoadConfig(h.rigHome, job.Wiki, job.Settings)
	if err != nil {
		return "", "", err
	}
	agent = cmp.Or(job.Agent, cfg.AgentFor(job.Op))
	return agent, cmp.Or(job.Model, cfg.ModelFor(agent, job.Op)), nil
}
