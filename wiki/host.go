package wiki

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Options are what a host needs from its process.
type Options struct {
	RigHome string   // $RIG_HOME; "" is ~/.rig
	Env     []string // the user's environment, as os.Environ gives it
	Self    string   // absolute path of our binary, "" finds it
	Board   int      // port of the events endpoint that the process serves itself: its runs need not tell it what it hears from them; 0: none
}

// Host runs operations on wikis. One host serves a process: every wiki, one run a wiki at a time.
type Host struct {
	rigHome, home, self string
	env                 []string
	ctx                 context.Context // ends with Close; runs outlive the reply that started them
	stop                context.CancelCauseFunc
	live                sync.WaitGroup
	answers             *answers // what agents' programs said about themselves
	sums                fileSums
	board               int             // Options.Board
	waits               []time.Duration // before an agent that failed in a way that passes is tried again
	patience            time.Duration   // with the user's board

	mu      sync.Mutex
	runs    map[string]*run         // queued and running, by id
	queues  map[string][]string     // lane -> run ids in order; the first one runs
	indexes map[string]*index.Index // wiki id ->
	unsaved map[string]*Unsaved     // wiki id ->
	slots   chan struct{}           // runs at once over all wikis; made by the first run, by its config
	tidied  map[string]bool         // wikis whose leftovers were looked at
}

// errClosed ends the runs of a host that closes.
var errClosed = errors.New("the host is closing")

// NewHost makes a host. It touches nothing on disk.
func NewHost(o Options) (*Host, error) {
	h := &Host{rigHome: o.RigHome, home: HomeFolder(o.Env), self: o.Self, env: o.Env, board: o.Board, waits: retryWaits(), patience: boardPatience, runs: map[string]*run{}, queues: map[string][]string{},
		indexes: map[string]*index.Index{}, unsaved: map[string]*Unsaved{}, tidied: map[string]bool{}}
	if h.rigHome == "" && h.home == "" {
		return nil, errors.New("find RIG_HOME: neither it nor HOME is set")
	}
	if h.rigHome == "" {
		h.rigHome = filepath.Join(h.home, ".rig")
	}
	var err error
	if h.rigHome, err = filepath.Abs(h.rigHome); err != nil {
		return nil, fmt.Errorf("find RIG_HOME: %w", err)
	}
	if h.self == "" {
		if h.self, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find our own binary: %w", err)
		}
	}
	h.answers = &answers{file: filepath.Join(h.rigHome, "cache", "agents.json")}
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	return h, nil
}

// Close cancels every run, waits for their ends and lets go of indexes and published pages.
func (h *Host) Close() error {
	h.stop(errClosed)
	h.live.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, x := range h.indexes {
		errs = append(errs, x.Close())
	}
	for _, u := range h.unsaved {
		errs = append(errs, u.Close())
	}
	clear(h.indexes)
	clear(h.unsaved)
	return errors.Join(errs...)
}

// RigHome is the folder of our state.
func (h *Host) RigHome() string { return h.rigHome }

// Store opens the wiki's runs. The first time in the life of the host, what a killed process left half done there is finished.
func (h *Host) Store(w *Wiki) (*proposal.Store, error) {
	s, err := openStore(filepath.Join(h.rigHome, "runs", w.ID), w)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	first := !h.tidied[w.ID]
	h.tidied[w.ID] = true
	h.mu.Unlock()
	if first {
		h.tidy(w, s)
	}
	return s, nil
}

// tidy sweeps and recovers where nobody else is at work. What fails here fails again, and is then told, before the next run and the next apply.
func (h *Host) tidy(w *Wiki, s *proposal.Store) {
	ctx, cancel := context.WithTimeout(h.ctx, time.Second)
	defer cancel()
	who := holder{PID: os.Getpid(), Op: "sweep", Since: time.Now().UTC()}
	if release, err := lockRun(ctx, h.rigHome, w.ID, who, func(holder) error { return ErrHeld }); err == nil {
		_ = h.sweep(w, s, w.ID)
		release()
	}
	if release, err := h.LockApply(ctx, w, s); err == nil {
		release()
	}
}

// Locate finds the wiki and the store of a run; [proposal.ErrNoRun] where there is none.
func (h *Host) Locate(id string) (*Wiki, *proposal.Store, error) {
	if !validRun(id) {
		return nil, nil, fmt.Errorf("%q is no run id: %w: see `rig wiki runs list`", id, proposal.ErrNoRun)
	}
	dirs, err := filepath.Glob(filepath.Join(h.rigHome, "runs", "*", id))
	if err != nil || len(dirs) == 0 {
		return nil, nil, fmt.Errorf("%s: %w: see `rig wiki runs list`", id, proposal.ErrNoRun)
	}
	s, err := proposal.Open(filepath.Dir(dirs[0]))
	if err != nil {
		return nil, nil, err
	}
	rec, err := s.Load(id)
	if err != nil {
		return nil, nil, err
	}
	if op, _ := FindOp(rec.Op); op.Task {
		w, err := Repository(rec.Wiki)
		return w, s, err
	}
	w, err := Find(rec.Wiki)
	if err != nil {
		return w, s, err
	}
	s, err = openStore(filepath.Dir(dirs[0]), w)
	return w, s, err
}

func openStore(dir string, w *Wiki) (*proposal.Store, error) {
	s, err := proposal.OpenKeeping(dir, func(rel string) bool {
		return Protected(w, rel) || strings.Contains("/"+rel, "/.") || w.isPageFolder(rel)
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHome, err)
	}
	return s, nil
}

// Index opens the wiki's index once for the life of the host.
func (h *Host) Index(ctx context.Context, w *Wiki) (*index.Index, error) {
	return h.OpenIndex(ctx, w, nil)
}

// OpenIndex is Index, and tells how far a first build is, in pages: from several goroutines, and later too, while the full text is laid out. Who opened the index
// is told, nobody else.
func (h *Host) OpenIndex(ctx context.Context, w *Wiki, tell func(step index.Step, done, total int)) (*index.Index, error) {
	h.mu.Lock()
	x := h.indexes[w.ID]
	h.mu.Unlock()
	if x != nil {
		return x, nil
	}
	x, err := index.Open(ctx, index.Options{Root: w.Real, Dir: h.indexDir(w), Hide: hidePage, Progress: tell})
	if err != nil {
		return nil, fmt.Errorf("open the index of %s: %w", w.Name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if had := h.indexes[w.ID]; had != nil { // two callers at once: the first one's stays
		return had, x.Close()
	}
	h.indexes[w.ID] = x
	return x, nil
}

// Publish tells other processes which pages (rel) have unsaved text here.
func (h *Host) Publish(w *Wiki, pages []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unsaved[w.ID] == nil && len(pages) == 0 {
		return nil
	}
	u, err := Publish(h.rigHome, w, h.unsaved[w.ID], pages)
	if u != nil {
		h.unsaved[w.ID] = u
	}
	return err
}

// LockApply serializes writers of the wiki's pages and receipts over all processes; it is held for moments. Under it what a killed
// writer left half done is finished first.
func (h *Host) LockApply(ctx context.Context, w *Wiki, s *proposal.Store) (release func(), err error) {
	release, err = lockApply(ctx, h.rigHome, w.ID)
	if err != nil {
		return nil, err
	}
	if _, err := s.Recover(); err != nil {
		release()
		return nil, fmt.Errorf("finish an interrupted apply: %w", err)
	}
	return release, nil
}

// Agents tells which agents there are, asked in parallel. w and an editor's settings may be nil.
func (h *Host) Agents(ctx context.Context, w *Wiki, s *Settings) ([]AgentInfo, error) {
	cfg, _, err := LoadConfig(h.rigHome, w, s)
	if err != nil {
		return nil, err
	}
	all := h.registry(w, cfg).List()
	infos := make([]AgentInfo, len(all))
	var wg sync.WaitGroup
	for i, a := range all {
		wg.Go(func() {
			d := a.Detect(ctx, h.adapterEnv(w, cfg))
			infos[i] = AgentInfo{Name: a.Name(), Installed: d.Installed, Version: d.Version, Path: d.Path, Usable: d.Usable, Why: d.Why, Default: a.Name() == cfg.DefaultAgent}
		})
	}
	wg.Wait()
	return infos, nil
}

// ErrAgent: no such agent, or one that cannot run here (exit 20).
var ErrAgent = errors.New("agent not usable")

// UseAgent makes name the default agent in config.json5. w and an editor's settings, which may say where its program is, may be nil. An agent that cannot run is refused with ErrAgent.
// overridden says in a sentence what is stronger and names another one; "" where nothing does.
func (h *Host) UseAgent(ctx context.Context, w *Wiki, s *Settings, name string) (overridden string, err error) {
	cfg, _, err := LoadConfig(h.rigHome, w, s)
	if err != nil {
		return "", err
	}
	a, err := h.registry(w, cfg).Find(name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAgent, err)
	}
	if d := a.Detect(ctx, h.adapterEnv(w, cfg)); !d.Usable {
		return "", fmt.Errorf("%w: %s: %s", ErrAgent, name, d.Why)
	}
	if err := SetDefaultAgent(h.rigHome, name); err != nil {
		return "", err
	}
	return h.overridden(w, s, name)
}

// overridden tells what stands above the user's configuration and names another default agent than name; "" where nothing does.
func (h *Host) overridden(w *Wiki, s *Settings, name string) (string, error) {
	now, _, err := LoadConfig(h.rigHome, w, s)
	if err != nil || now.DefaultAgent == name {
		return "", err
	}
	own, _, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return "", err
	}
	place := "the editor's settings say"
	if w != nil && own.DefaultAgent == now.DefaultAgent {
		place = w.Config + " says"
	}
	return fmt.Sprintf("%s stays the default agent here: %s so (defaultAgent)", now.DefaultAgent, place), nil
}

func (h *Host) registry(w *Wiki, cfg Config) *adapters.Registry {
	return adapters.NewRegistry(h.adapterEnv(w, cfg))
}

// adapterEnv is what adapters may know. A project's own adapters count only in a folder that the user trusted.
func (h *Host) adapterEnv(w *Wiki, cfg Config) adapters.Env {
	e := adapters.Env{Vars: h.env, Home: h.home, RigHome: h.rigHome, Self: h.self, Config: cfg.Agent, Answers: h.answers}
	if w != nil && Trusted(h.rigHome, w.Real) {
		e.Project = w.Real
	}
	return e
}

// validRun says whether id may be a run's folder name.
func validRun(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// detect asks an adapter, within a limit. What its program said before is kept (see answers); what the user's config says is read each time.
func (h *Host) detect(ctx context.Context, a adapters.Adapter, e adapters.Env) adapters.Detection {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	return a.Detect(ctx, e)
}
