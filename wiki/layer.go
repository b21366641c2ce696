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
	if err := makeBeside(dir); err != nil {
		return "", fmt.Errorf("make the sandbox's folder: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// makeBeside makes a private folder in one that another run takes away when it was the last in it, which may be at this moment.
func makeBeside(dir string) error {
	const tries = 100
	for range tries {
		if err := os.MkdirAll(dir, 0o700); !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return os.MkdirAll(dir, 0o700)
}

// begun is a layer on its way, and what it was chosen by.
type begun struct {
	sandbox.Begun
	by SandboxConfig
}

// fits tells whether the layer would be chosen by that configuration; it never is where none was begun.
func (b *begun) fits(cfg Config) bool {
	return b != nil && b.by.Layer == cfg.Sandbox.Layer && b.by.AllowUnconfined == cfg.Sandbox.AllowUnconfined
}

// beginLayer starts what a layer can start beforehand, where the layer is known: the steps that lead to it take as long as that start. An agent that fetches gets
// a folder of its own, whose layer is not that of the wiki.
func (r *run) beginLayer() {
	if r.op.Task || r.op.Grant.Web {
		return
	}
	if r.begun.fits(r.cfg) {
		return
	}
	layer, ok := r.host.knownLayer(r.wiki.Real, r.cfg, r.job.Layer)
	if !ok {
		return
	}
	b := &begun{sandbox.Begin(layer), r.cfg.Sandbox}
	r.begun = b
	r.release = append(r.release, b.Close)
}

// takeLayer is the layer of this try.
func (r *run) takeLayer(ctx context.Context) (sandbox.Layer, error) {
	b := r.begun
	r.begun = nil
	if b.fits(r.cfg) {
		return b.Layer, nil
	}
	return r.host.layer(ctx, r.wiki, r.cfg, r.job.Layer)
}

// sweep ends what runs that died left behind: those of the lane whose lock the caller holds, and those of tasks that nobody is at. A run has its folder from before
// its record says that it runs until after that says how it ended, so that the folders tell all: no record is read but theirs.
func (h *Host) sweep(w *Wiki, s *proposal.Store, lane string) error {
	dir := filepath.Join(h.rigHome, "cache", "sandbox", w.ID)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep old sandboxes: %w", err)
	}
	alive := h.livingLanes(lane)
	for _, e := range entries {
		rec, err := s.Load(e.Name())
		switch {
		case err == nil && alive(laneOf(w, rec)), err != nil && (alive(w.ID) || isNew(e)):
			continue
		case err == nil:
			if err := died(s, rec); err != nil {
				return err
			}
		}
		if err := removeRunDir(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("sweep an old sandbox: %w", err)
		}
	}
	return h.tend(w, s, alive)
}

// isNew tells a folder whose run may be about to write its record.
func isNew(e fs.DirEntry) bool {
	fi, err := e.Info()
	return err == nil && time.Since(fi.ModTime()).Abs() < time.Minute
}

// died closes the record of a run whose program is gone.
func died(s *proposal.Store, rec proposal.Record) error {
	if rec.State != proposal.Running {
		return nil
	}
	rec.State, rec.Exit, rec.Message = proposal.Failed, ExitFailed, "the program that ran it died"
	return s.Save(rec)
}

// tend looks at the whole history, which takes the longer the more is kept, and so is done once a day: old runs are pruned, and a run whose folder was taken away while it ran
// is closed.
func (h *Host) tend(w *Wiki, s *proposal.Store, alive func(lane string) bool) error {
	marker := filepath.Join(h.rigHome, "runs", w.ID, ".tended")
	if fi, err := os.Stat(marker); err == nil && time.Since(fi.ModTime()).Abs() < tendEvery {
		return nil
	}
	recs, _, err := s.List()
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if rec.State == proposal.Running && !alive(laneOf(w, rec)) {
			if err := died(s, rec); err != nil {
				return err
			}
		}
	}
	if _, err := s.Prune(keepRuns, keepAge); err != nil {
		return fmt.Errorf("prune old runs: %w", err)
	}
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		return fmt.Errorf("note that old runs were pruned: %w", err)
	}
	return os.Chtimes(marker, time.Time{}, time.Now())
}

// tendEvery is how often a wiki's whole history is looked at.
const tendEvery = 24 * time.Hour

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
