package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Host is what the daemon calls of [wiki.Host].
type Host interface {
	RigHome() string
	Run(ctx context.Context, job wiki.Job, watch func(wiki.Update)) proposal.Record
	Scan(ctx context.Context, w *wiki.Wiki) ([]wiki.ScannedSource, error)
	Apply(ctx context.Context, w *wiki.Wiki, run string, sel proposal.Selection, c wiki.Consent, by string) (wiki.Result, error)
	Store(w *wiki.Wiki) (*proposal.Store, error)
	Index(ctx context.Context, w *wiki.Wiki) (*index.Index, error)
	Paused(w *wiki.Wiki) bool
}

// Options are what the daemon needs.
type Options struct {
	Host  Host
	Wikis []string // folders to watch besides those of the configuration
	Apply bool     // apply what carries no flag
	Agent string   // "" takes the configured one
	Model string
	Layer string
	// Timeout of each run; 0 takes the configured one.
	Timeout time.Duration
	Tell    func(format string, args ...any) // a line for the log
	Now     func() time.Time                 // nil: the system's clock
	// Reload is told when the configuration is to be read anew, End when the daemon is to end: the current runs are finished or, after the grace,
	// given back. A second End gives them back at once.
	Reload, End <-chan struct{}
	Grace       time.Duration // for runs after End; 60 s
	Settled     time.Duration // how long a file must have stood still to be a source; 1 s
	Poll        time.Duration // how often it looks by itself: for retries that are due, for wikis that cannot be watched, for clocks that jumped; 10 s
	// Drive names the kind of network drive that a folder is on, "" for one of this machine's own; nil asks the system.
	Drive func(dir string) string
}

// daemon is one at work. Only the goroutine of its loop touches the queue and the wikis; runs report through done.
type daemon struct {
	Options
	queue  *Queue
	wikis  []*watched
	limit  int
	change chan struct{}
	done   chan result
	busy   int
	work   sync.WaitGroup
	cancel context.CancelFunc // of the runs
	runs   context.Context
}

// watched is a wiki that the daemon serves.
type watched struct {
	wiki *wiki.Wiki
	cfg  wiki.Config
	busy bool // a run of ours is on
	stop context.CancelFunc

	dirty  atomic.Bool     // something changed: it is to be looked at
	blind  atomic.Bool     // nothing tells of changes: it is looked at from time to time
	told   map[string]bool // changes of sources that were told of
	looked time.Time
	cost   time.Duration // of the last look
}

type result struct {
	w      *watched
	source string
	rec    proposal.Record
}

// ErrRunning: another daemon serves this RIG_HOME.
var ErrRunning = errors.New("a daemon is running")

// Run serves until End, or until ctx ends, which gives the current runs back at once.
func Run(ctx context.Context, o Options) error {
	release, err := hold(o.Host.RigHome())
	if err != nil {
		return err
	}
	defer release()
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Grace, o.Settled, o.Poll = cmp.Or(o.Grace, time.Minute), cmp.Or(o.Settled, time.Second), cmp.Or(o.Poll, 10*time.Second)
	if o.Drive == nil {
		o.Drive = NetworkDrive
	}
	d := &daemon{Options: o, change: make(chan struct{}, 1), done: make(chan result)}
	if d.queue, err = LoadQueue(o.Host.RigHome()); err != nil {
		return err
	}
	d.queue.BookDead(o.Now())
	d.runs, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer d.cancel()
	if err := d.load(ctx); err != nil {
		return err
	}
	defer func() { d.unwatch(); d.work.Wait() }()
	return d.loop(ctx)
}

// loop is the daemon's life: look, start what is due, wait for something to happen.
func (d *daemon) loop(ctx context.Context) error {
	tick := time.NewTicker(d.Poll)
	defer tick.Stop()
	d.look(ctx)
	for {
		d.startDue()
		if err := d.queue.Save(); err != nil {
			d.Tell("%v", err) // what is in memory still counts
		}
		select {
		case <-ctx.Done():
			return d.end(ctx, 0)
		case <-d.End:
			return d.end(ctx, d.Grace)
		case <-d.Reload:
			if err := d.load(ctx); err != nil {
				d.Tell("the configuration stays as it was: %v", err)
				continue
			}
			d.queue.another()
			d.look(ctx)
		case <-d.change:
			d.look(ctx)
		case r := <-d.done:
			d.settle(ctx, r)
			d.look(ctx)
		case <-tick.C:
			d.stir()
			d.look(ctx)
		}
	}
}

// load reads the configuration and watches what it names.
func (d *daemon) load(ctx context.Context) error {
	user, warnings, err := wiki.LoadConfig(d.Host.RigHome(), nil, nil)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		d.Tell("%s", w)
	}
	var fresh []*watched
	seen := map[string]bool{}
	for _, dir := range slices.Concat(d.Wikis, user.Daemon.Wikis) {
		w, err := wiki.Find(FromHome(dir))
		if err != nil || w.Layout == wiki.Links {
			d.Tell("%s is left out: %v", dir, errors.Join(err, wiki.ErrNotAWiki))
			continue
		}
		if seen[w.ID] {
			continue
		}
		seen[w.ID] = true
		cfg, _, err := wiki.LoadConfig(d.Host.RigHome(), w, nil)
		if err != nil {
			return err
		}
		fresh = append(fresh, &watched{wiki: w, cfg: cfg, told: map[string]bool{}})
	}
	if len(fresh) == 0 {
		return fmt.Errorf("no wiki to watch: %w", wiki.ErrNotAWiki)
	}
	for _, w := range fresh { // a run goes on over a reload
		for _, old := range d.wikis {
			w.busy = w.busy || old.busy && old.wiki.ID == w.wiki.ID
		}
	}
	d.unwatch()
	d.wikis, d.limit = fresh, user.Daemon.RunsPerDay
	for _, w := range d.wikis {
		d.Tell("watching %s", w.wiki.Root)
		var watch context.Context
		watch, w.stop = context.WithCancel(ctx)
		w.dirty.Store(true)
		d.work.Go(func() {
			watcher{dir: filepath.Join(w.wiki.Real, "raw"), drive: d.Drive, poll: d.Poll, changed: func() { w.dirty.Store(true); d.wake() }, warn: d.Tell}.run(watch)
			w.blind.Store(true)
		})
	}
	return nil
}

func (d *daemon) unwatch() {
	for _, w := range d.wikis {
		w.stop()
	}
}

// FromHome is a folder of the configuration, where ~/ is the home folder.
func FromHome(dir string) string {
	if len(dir) > 1 && dir[:2] == "~/" {
		if home := wiki.HomeFolder(os.Environ()); home != "" {
			return filepath.Join(home, dir[2:])
		}
	}
	return dir
}

// startDue starts the next run of each wiki that has none, where its queue is not paused and the day's runs are not spent.
func (d *daemon) startDue() {
	for _, w := range d.wikis {
		e := d.queue.due(w.wiki.Root, d.Now())
		if w.busy || e == nil || d.Host.Paused(w.wiki) {
			continue
		}
		if !d.queue.maySpend(d.limit, d.Now()) {
			if e.Reason != overLimit {
				e.Reason = overLimit
				d.Tell("%s waits: %d runs were started within a day", w.wiki.Path(e.Source), d.limit)
			}
			continue
		}
		e.State, e.Reason, w.busy = Running, "", true
		d.queue.Spent = append(d.queue.Spent, d.Now())
		d.busy++
		source := e.Source
		job := wiki.Job{Wiki: w.wiki, Op: "ingest", Sources: []string{source}, Agent: d.Agent, Model: d.Model, Layer: d.Layer, Timeout: d.Timeout, By: "daemon"}
		d.Tell("ingest %s", w.wiki.Path(source))
		d.work.Go(func() {
			rec := d.Host.Run(d.runs, job, nil)
			d.done <- result{w, source, rec}
		})
	}
}

const overLimit = "the day's runs are spent"

// end waits for the current runs, for as long as the grace; what is not done then goes back to the queue.
func (d *daemon) end(ctx context.Context, grace time.Duration) error {
	patience := time.NewTimer(grace)
	defer patience.Stop()
	if d.busy > 0 {
		d.Tell("ending: %d runs are finished or given back", d.busy)
	}
	for d.busy > 0 {
		select {
		case <-patience.C:
			d.cancel()
		case <-d.End:
			d.cancel()
		case <-d.Reload: // too late for it, but who sends it is not to wait: an End may come after it
		case r := <-d.done:
			d.settle(ctx, r)
		}
	}
	return d.queue.Save()
}
