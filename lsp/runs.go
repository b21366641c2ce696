package lsp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.uber.org/zap"
)

// maxWaiting bounds the events of a run that wait to be sent to a slow client; the oldest go first. Changes of state are always kept.
const maxWaiting = 256

// runs are the runs that this session started.
type runs struct {
	mu   sync.Mutex
	byID map[string]*liveRun
	busy map[string]int // runs whose outcome this session is applying
}

func newRuns() *runs { return &runs{byID: map[string]*liveRun{}, busy: map[string]int{}} }

// occupy marks a run as being applied from here, until the function that it gives is called.
func (r *runs) occupy(id string) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy[id]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.busy[id]--; r.busy[id] == 0 {
			delete(r.busy, id)
		}
	}
}

// liveRun is one run under way. The host's watcher only puts updates into its mailbox, so that a slow client never slows an agent.
type liveRun struct {
	run   string
	job   wiki.Job
	title string
	once  sync.Once
	ended chan struct{} // closed when the last update has come

	mu      sync.Mutex
	waiting []wiki.Update
	wake    chan struct{}
}

// live gives the ids of the runs that have not ended.
func (r *runs) live() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for id := range r.byID {
		ids = append(ids, id)
	}
	return ids
}

// of gives the runs of a wiki that have not ended, the oldest first.
func (r *runs) of(w *wiki.Wiki) (list []*liveRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.byID {
		if l.job.Wiki != nil && l.job.Wiki.ID == w.ID {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b *liveRun) int { return strings.Compare(a.run, b.run) })
	return list
}

// has tells whether a run is under way in this session, or being applied from it.
func (r *runs) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id] != nil || r.busy[id] > 0
}

// quiet waits until nothing of a run is being applied from here, for a bound at most: a client may keep an edit open for hours.
func (r *runs) quiet(ctx context.Context, id string, bound time.Duration) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(bound); time.Now().Before(end); {
		r.mu.Lock()
		busy := r.busy[id] > 0
		r.mu.Unlock()
		if !busy {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *runs) drop(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, id)
}

// wait waits until every run has ended.
func (r *runs) wait() {
	r.mu.Lock()
	var list []*liveRun
	for _, l := range r.byID {
		list = append(list, l)
	}
	r.mu.Unlock()
	for _, l := range list {
		<-l.ended
	}
}

// start queues a job in the host and gives its run id at once; what becomes of it follows as progress, rigwiki/run, diagnostics and preview.
func (s *server) start(job wiki.Job, title string) (string, error) {
	s.awaitSettings(s.ctx)
	job.By, job.Settings = "editor", s.settingsOf(job.Wiki)
	job.Buffers = s.buffers(job.Wiki)
	l := &liveRun{job: job, title: title, ended: make(chan struct{}), wake: make(chan struct{}, 1)}
	s.runs.mu.Lock() // until it is known here, nobody looks for it among the runs of others
	id, err := s.host.Start(job, l.take)
	if err == nil {
		l.run = id
		s.runs.byID[id] = l
	}
	s.runs.mu.Unlock()
	if err != nil {
		return "", err
	}
	s.background(func(ctx context.Context) { s.follow(ctx, id, l) })
	return id, nil
}

// buffers are the unsaved pages of a wiki: the agent starts from what the user sees.
func (s *server) buffers(w *wiki.Wiki) map[string]wiki.Buffer {
	out := map[string]wiki.Buffer{}
	for _, doc := range s.docs.all() {
		if rel, ok := relIn(w, doc.path); ok && s.docs.unsaved(doc) {
			text, _, err := s.docs.textOf(doc.path)
			if err != nil {
				s.log.Warn("an unsaved page is not given to the agent", zap.String("page", rel), zap.Error(err))
				continue
			}
			out[rel] = wiki.Buffer{Text: text, Version: doc.version}
		}
	}
	return out
}

// final tells whether an update is the last one of a run.
func final(u wiki.Update) bool {
	return u.Event == nil && u.State != "" && u.State != proposal.Queued && u.State != proposal.Running
}

// take is the host's watcher.
func (l *liveRun) take(u wiki.Update) {
	l.mu.Lock()
	if len(l.waiting) >= maxWaiting {
		for i, w := range l.waiting {
			if w.Event != nil {
				l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
				break
			}
		}
	}
	l.waiting = append(l.waiting, u)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	if final(u) {
		l.once.Do(func() { close(l.ended) })
	}
}

func (l *liveRun) next() []wiki.Update {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.waiting
	l.waiting = nil
	return list
}

// follow tells the client of a run until its end, then shows what it made.
func (s *server) follow(ctx context.Context, id string, l *liveRun) {
	defer s.runs.drop(id)
	bar := s.startProgress(id, l.title)
	n := runNote{Run: id, Wiki: l.job.Wiki.Root, Op: l.job.Op, Agent: l.job.Agent, State: proposal.Queued, Title: l.title}
	if name, _, err := s.host.Chosen(l.job); err == nil {
		n.Agent = name // the record says which one it really was
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		}
		for _, u := range l.next() {
			if final(u) {
				s.ended(ctx, l, bar, n, u)
				return
			}
			s.step(bar, &n, u)
		}
	}
}

// step tells of one update on the way.
func (s *server) step(bar *progress, n *runNote, u wiki.Update) {
	if u.State != "" {
		n.State = u.State
	}
	if u.Record != nil {
		n.Agent, n.Title = u.Record.Agent, u.Record.Title
	}
	n.Message, n.Event = u.Message, nil
	line := u.Message
	if u.Event != nil {
		n.Event = u.Event
		if u.Event.Summary != "" {
			line = u.Event.Summary
		}
	}
	bar.say(queueLine(n.Agent, u.Position, line))
	s.notify(*n)
	if u.Event != nil {
		s.tellEvent(n.Run, u.Event)
	}
}

// ended tells of the end and goes on to what follows it.
func (s *server) ended(ctx context.Context, l *liveRun, bar *progress, n runNote, u wiki.Update) {
	rec := proposal.Record{Run: n.Run, Wiki: n.Wiki, Op: n.Op, Agent: n.Agent, State: u.State, Title: n.Title, Message: u.Message}
	if u.Record != nil {
		rec = *u.Record
	}
	sentence := rec.Message
	if sentence == "" {
		sentence = counts(rec)
	}
	bar.finish(sentence)
	s.log.Info("run ended", zap.String("run", rec.Run), zap.String("state", string(rec.State)), zap.Duration("took", time.Since(rec.Started)))
	s.showEnd(ctx, l.job.Wiki, rec)
}

// showEnd tells of what a run came to, and shows what it made.
func (s *server) showEnd(ctx context.Context, w *wiki.Wiki, rec proposal.Record) {
	sentence := rec.Message
	if sentence == "" {
		sentence = counts(rec)
	}
	s.decided(w, rec)
	s.awaitSettings(ctx) // they say how it is shown
	n := noteOf(rec, sentence)
	if rec.State == proposal.Proposed {
		n.Preview = s.rung(w).String()
	}
	s.notify(n)
	s.runs.drop(rec.Run) // what follows may wait for the user for hours
	switch rec.State {
	case proposal.Proposed, proposal.Done:
		s.preview(ctx, w, rec)
	case proposal.Failed, proposal.Incomplete, proposal.TimedOut:
		s.tell(messageWarning, rec.Title+": "+sentenceWithHint(rec))
		if aboutTask(rec.Op) && len(rec.Files) > 0 { // what was committed all the same
			s.preview(ctx, w, rec)
		}
	case proposal.Empty:
		s.tell(messageInfo, rec.Title+": "+sentenceWithHint(rec))
	}
}

func sentenceWithHint(rec proposal.Record) string {
	if rec.Hint == "" {
		return rec.Message
	}
	return rec.Message + "; " + rec.Hint
}
