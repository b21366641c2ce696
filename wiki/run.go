package wiki

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/proposal"
)

// run is one operation under way. Its fields are filled by the steps, in their order; only the goroutine of life touches them.
type run struct {
	host   *Host
	job    Job
	op     Op
	wiki   *Wiki
	cfg    Config
	rec    proposal.Record
	store  *proposal.Store
	watch  func(Update)
	cancel context.CancelCauseFunc
	done   chan struct{}

	dir      string // of the sandbox; it is there as long as the record says that the run is on
	sources  []source
	footing  *footing          // proposals that it is made on top of; nil: none
	revised  *revision         // nil: the run starts from the wiki as it is
	inject   map[string]string // rel in the view -> host file
	agent    adapters.Adapter
	found    adapters.Detection
	board    *board.Server
	outside  *board.Emitter // to the user's own board; nil: there is none
	live     adapters.Live  // guarded by watchMu, as is heard
	heard    int            // events so far
	begun    *begun         // the layer of the first try, on its way; nil: not known yet, or used
	box      sandbox.Box
	bases    *baseFinder
	before   manifest // of the real wiki, where confinement does not rule out that it is written
	exit     sandbox.Exit
	outcome  adapters.Outcome
	spent    adapters.Usage // by all tries
	changes  sandbox.Changes
	verdict  Judgement
	release  []func()  // what settle lets go of, last first
	layerAt  int       // len(release) before openLayer
	deadline time.Time // of all tries together; set by the first
	logs     *runLogs
	model    string            // asked for, "" for the agent's own
	asked    *adapters.Request // as openLayer put it
	near     *[]adapters.Found // query: pages that the wiki's search found
	passages string            // query: what the wiki's search found, as the prompt has it
	used     map[string]string // query: path -> sha256 of the pages that the answer is made from
	task     *taskRun          // nil: the run is about the wiki's pages
	tooled   *tooling          // what the grant puts on PATH; nil: not worked out yet
	watchMu  sync.Mutex        // serializes watch between the steps and the agent's stream

	checks []adapters.Check // the project's own, for the kinds of events
}

// ErrCancelled is the cause of a run that the user took back.
var ErrCancelled = errors.New("cancelled")

// life is the whole of a run, step by step as the design's section 5 has it. A step goes on (nil) or names the end.
// What was taken is let go in settle, whatever happened: the sandbox, the endpoint, the lock.
func (r *run) life(ctx context.Context) {
	steps := r.wikiSteps()
	if r.op.Task {
		steps = r.taskSteps()
	}
	var err error
	for _, step := range steps {
		if err = step(ctx); err != nil {
			break
		}
	}
	r.settle(ctx, err) // 11 stored, then shown; 13 the sandbox removed
}

func (r *run) wikiSteps() []func(context.Context) error {
	return []func(context.Context) error{
		r.fetchPage,      //     a fetch that needs no agent, and so no lock
		r.recall,         //     a query that was answered already
		r.takeLock,       //  1  the wiki's lock or a place in the queue
		r.noteStart,      //  2  time, sources, buffers; the record and its folder
		r.chooseAgent,    //     which agent, whether it can run
		r.emptyFolder,    //     where a fetching agent works
		r.lookUpPassages, //     what the wiki's own search knows of a question
		r.openLayer,      //  3  the layer over the wiki, 4 confined
		r.runAgent,       //  5  plan and start, 6 events, 7 wait for its end
		r.tryAgain,       //     3 to 7 once more where the failure passes and nothing was done
		r.readChanges,    //  8  from the file system
		r.judge,          //  9  policy: keep, flag, refuse; 10 checked as if applied
		r.compareReal,    // 12  what happened to the real wiki meanwhile
		r.moveIn,         //     what an agent fetched becomes a source
		r.readAnswer,     //     citations looked up, findings read
	}
}

// lane is what runs one after the other: those of a wiki, those of a task. Runs that share a hold wait for nobody.
func (r *run) lane() string {
	if r.job.Hold != nil {
		return r.wiki.ID + "." + r.rec.Run
	}
	return laneOf(r.wiki, r.rec)
}

// laneOf is also the name of a lock.
func laneOf(w *Wiki, rec proposal.Record) string {
	if op, _ := FindOp(rec.Op); !op.Task || len(rec.Sources) == 0 {
		return w.ID
	}
	sum := sha256.Sum256([]byte(TaskBranch(rec.Sources[0])))
	return w.ID + ".task-" + hex.EncodeToString(sum[:4])
}

// Run runs one operation to its end and returns its record. watch may be nil.
func (h *Host) Run(ctx context.Context, job Job, watch func(Update)) proposal.Record {
	r := h.newRun(job, watch)
	r.cfg = Defaults() // as most have it: what is begun by a wrong guess is begun again
	r.beginLayer()
	stop := context.AfterFunc(ctx, func() { r.cancel(ErrCancelled) })
	defer stop()
	h.enqueue(r)
	<-r.done
	return r.rec
}

// Start queues one operation and returns its run id at once. watch is called by one goroutine at a time, last with the record.
func (h *Host) Start(job Job, watch func(Update)) (string, error) {
	if h.ctx.Err() != nil {
		return "", errClosed
	}
	if _, ok := FindOp(job.Op); !ok {
		return "", fmt.Errorf("no operation %q", job.Op)
	}
	r := h.newRun(job, watch)
	h.enqueue(r)
	return r.rec.Run, nil
}

// Cancel ends a queued or running run; false where there is no such run here.
func (h *Host) Cancel(id string) bool {
	h.mu.Lock()
	r := h.runs[id]
	h.mu.Unlock()
	if r == nil {
		return false
	}
	r.cancel(ErrCancelled)
	return true
}

// Live are the ids of the runs that are queued or running here, in no order.
func (h *Host) Live() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := make([]string, 0, len(h.runs))
	for id := range h.runs {
		ids = append(ids, id)
	}
	return ids
}

func (h *Host) newRun(job Job, watch func(Update)) *run {
	op, _ := FindOp(job.Op)
	now := time.Now().UTC()
	if job.Run == "" {
		job.Run = proposal.NewRunID(now, job.Op)
	}
	if watch == nil {
		watch = func(Update) {}
	}
	return &run{host: h, job: job, op: op, wiki: job.Wiki, watch: watch, done: make(chan struct{}),
		rec: proposal.Record{Run: job.Run, Wiki: job.Wiki.Root, Op: job.Op, Agent: job.Agent, Model: job.Model, State: proposal.Queued, Title: title(op, job),
			Sources: job.Sources, Question: job.Question, Note: job.Note, Revises: job.Revises, Started: now, Files: []proposal.File{}, Refused: []proposal.Refusal{}}}
}

// enqueue gives the run its place and its goroutine.
func (h *Host) enqueue(r *run) {
	ctx, cancel := context.WithCancelCause(h.ctx)
	r.cancel = cancel
	h.mu.Lock()
	h.runs[r.rec.Run] = r
	h.queues[r.lane()] = append(h.queues[r.lane()], r.rec.Run)
	place := len(h.queues[r.lane()])
	h.mu.Unlock()
	r.tell(Update{State: proposal.Queued, Position: place, Message: r.rec.Title})
	h.live.Go(func() {
		defer close(r.done)
		defer cancel(nil)
		r.life(ctx)
	})
}

// dequeue takes the run out of the lists.
func (h *Host) dequeue(r *run) {
	h.leaveQueue(r)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.runs, r.rec.Run)
}

// leaveQueue takes the run out of its wiki's queue: it is over, or need not wait and keeps nobody waiting.
func (h *Host) leaveQueue(r *run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.queues[r.lane()]
	if i := slices.Index(q, r.rec.Run); i >= 0 {
		h.queues[r.lane()] = slices.Delete(q, i, i+1)
	}
}

// queuePoll is how often a waiting run looks at its place.
const queuePoll = 50 * time.Millisecond

// takeLock waits until the run is the first of its wiki here, then takes the wiki's lock, which other processes may hold. A terminal does
// not wait for another process: it is told who holds the wiki (exit 31).
func (r *run) takeLock(ctx context.Context) error {
	var err error
	if r.cfg, _, err = LoadConfig(r.host.rigHome, r.wiki, r.job.Settings); err != nil {
		return &ending{State: proposal.Failed, Exit: ExitConfig, Message: err.Error(), Hint: "mend the file and run again"}
	}
	if err := r.waitTurn(ctx); err != nil {
		return err
	}
	if r.job.Hold != nil {
		r.store, err = r.host.Store(r.wiki)
		return err
	}
	who := holder{PID: os.Getpid(), Run: r.rec.Run, Op: r.rec.Op, Since: time.Now().UTC()}
	release, err := lockRun(ctx, r.host.rigHome, r.lane(), who, func(h holder) error {
		if r.job.By == "cli" {
			return &ending{State: proposal.Failed, Exit: ExitHeld, Message: fmt.Sprintf("another run holds the %s: %s (process %d)", r.subject(), h.Run, h.PID), Hint: "wait for it, or cancel it where it was started"}
		}
		r.tell(Update{State: proposal.Queued, Position: 1, Message: "waiting for " + h.Run + ", started by another program"})
		return nil
	})
	if err != nil {
		return err
	}
	r.release = append(r.release, release)
	r.beginLayer()
	if r.store, err = r.host.Store(r.wiki); err != nil {
		return err
	}
	return r.host.sweep(r.wiki, r.store, r.lane())
}

// subject is what the run holds while it is on.
func (r *run) subject() string {
	if r.op.Task {
		return "task"
	}
	return "wiki"
}

// waitTurn waits for the first place in the wiki's queue and for one of the slots over all wikis.
func (r *run) waitTurn(ctx context.Context) error {
	tick := time.NewTicker(queuePoll)
	defer tick.Stop()
	last, paused := 0, false
	for {
		first, place := r.host.turn(r)
		wait := r.job.By != "cli" && r.host.Paused(r.wiki)
		if first && !wait {
			break
		}
		if wait && !paused {
			r.tell(Update{State: proposal.Queued, Position: place, Message: "the queue is paused: " + r.rec.Title})
		} else if place != last {
			r.tell(Update{State: proposal.Queued, Position: place, Message: r.rec.Title})
		}
		last, paused = place, wait
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	slots := r.host.slotsFor(r.cfg)
	select {
	case slots <- struct{}{}:
		r.release = append(r.release, func() { <-slots })
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (h *Host) turn(r *run) (first bool, place int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	place = slices.Index(h.queues[r.lane()], r.rec.Run) + 1
	return place <= 1, place
}

func (h *Host) slotsFor(cfg Config) chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slots == nil {
		h.slots = make(chan struct{}, max(1, cfg.Jobs))
	}
	return h.slots
}

// tell informs the watcher; calls are serialized, since events come from the goroutine that reads the agent.
func (r *run) tell(u Update) {
	r.watchMu.Lock()
	defer r.watchMu.Unlock()
	u.Run = r.rec.Run
	r.watch(u)
}
