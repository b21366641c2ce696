package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/wiki"
)

// eventsCmd is `rig wiki events [--serve]` and `rig wiki events tail [--serve]`: what agents do, as it happens. Both show the events of every run
// here and what is posted to another --serve; with --serve they also take what is posted.
func (a *app) eventsCmd() *cobra.Command {
	var w watch
	run := func(c *cobra.Command, _ []string) error { return a.watchEvents(c.Context(), w) }
	flags := func(c *cobra.Command) *cobra.Command {
		c.Flags().BoolVar(&w.serve, "serve", false, "take events at http://127.0.0.1:PORT/api/events; a token is required where BOARD_TOKEN is set")
		c.Flags().IntVar(&w.port, "port", 0, "port for --serve (else BOARD_PORT, else a free one)")
		return c
	}
	c := flags(&cobra.Command{Use: "events", Short: "Show what agents do, live", Args: args(cobra.NoArgs), RunE: run})
	c.AddCommand(flags(&cobra.Command{Use: "tail", Short: "Show what agents do, live", Args: args(cobra.NoArgs), RunE: run}))
	return c
}

// watch is what to show.
type watch struct {
	serve bool
	port  int
}

func (a *app) watchEvents(ctx context.Context, w watch) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	defer h.Close()
	m := mix{show: a.eventPrinter(), ahead: map[adapters.Event]lead{}}
	served := servedFilePath(h.RigHome())
	if w.serve {
		told := &eventFile{path: served}
		defer func() { _ = told.close() }()
		s, err := a.serveEvents(w.port, a.keeping(told, m.posted))
		if err != nil {
			return err
		}
		defer func() {
			_ = s.Close()
			if n := s.Lost(); n > 0 {
				a.warn("%d events came faster than they could be shown", n)
			}
		}()
		e := endpoint{server: s, token: a.getenv("BOARD_TOKEN")}
		e.publish(h.RigHome(), a.warn)
		defer func() {
			if e.withdraw != nil {
				_ = e.withdraw()
			}
		}()
		a.warn("events are taken at %s", s.URL())
	}
	runs := []string{filepath.Join(h.RigHome(), "runs", "*", "*", "events.jsonl"), eventFilePath(h.RigHome())}
	if w.serve { // it has from the post what it stores
		return followRuns(ctx, runs, m.stored)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	posted := make(chan error, 1)
	go func() {
		defer cancel() // neither goes on without the other
		posted <- followRuns(ctx, []string{served}, m.posted)
	}()
	err = followRuns(ctx, runs, m.stored)
	cancel()
	return errors.Join(err, <-posted)
}

// keeping stores what is posted, for those who only look, before it is shown. A disk that is full is said once: what is posted is shown all the same.
func (a *app) keeping(file *eventFile, show func(adapters.Event)) func(adapters.Event) {
	said := false
	return func(e adapters.Event) {
		if err := file.add(e); err != nil && !said {
			said = true
			a.warn("`rig wiki events tail` elsewhere does not show all of it: %v", err)
		}
		show(e)
	}
}

// mix shows events that come both ways once: a run posts to its user's board, which may be this one, what it stores in its folder.
type mix struct {
	show  func(adapters.Event)
	mu    sync.Mutex // guards ahead
	ahead map[adapters.Event]lead
}

// lead is how many more of an event came by post than from files, and when the last of them came.
type lead struct {
	n  int
	at time.Time
}

// maxAhead bounds what is remembered: events of others come by post alone.
const maxAhead = 10_000

// bothWays is how long the second way may take after the first. What is the same later is another event.
const bothWays = time.Minute

func (m *mix) posted(e adapters.Event) { m.count(e, 1) }
func (m *mix) stored(e adapters.Event) { m.count(e, -1) }

func (m *mix) count(e adapters.Event, by int) {
	if e.Running { // is not stored
		m.show(e)
		return
	}
	key := e
	key.OK, key.Agent, key.Task, key.Session = nil, "", "", "" // pointers differ, and names are the board's own where it gave some
	m.mu.Lock()
	now, l := time.Now(), m.ahead[key]
	if now.Sub(l.at) > bothWays {
		l.n = 0
	}
	first := l.n*by >= 0
	if l = (lead{l.n + by, now}); l.n == 0 {
		delete(m.ahead, key)
	} else if m.ahead[key] = l; len(m.ahead) > maxAhead {
		clear(m.ahead)
	}
	m.mu.Unlock()
	if first {
		m.show(e)
	}
}

// serveEvents opens the endpoint on a port, on BOARD_PORT, or on a free one.
func (a *app) serveEvents(port int, take func(adapters.Event)) (*board.Server, error) {
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	if from := a.getenv("BOARD_PORT"); port == 0 && from != "" {
		addr = "127.0.0.1:" + from
	}
	s, err := board.Listen(addr, a.getenv("BOARD_TOKEN"), take)
	if err != nil {
		return nil, fail(wiki.ExitFailed, "choose another with --port", "%v", err)
	}
	return s, nil
}

// eventPrinter prints events as lines: JSON with --json, else for people. Safe for concurrent use.
func (a *app) eventPrinter() func(adapters.Event) {
	var mu sync.Mutex
	return func(e adapters.Event) {
		mu.Lock()
		defer mu.Unlock()
		if a.flags.json != "" {
			a.printJSON(e)
			return
		}
		fmt.Fprintln(a.out, eventLine(e, time.Now()))
	}
}

// eventLine is an event for people: time, who, kind, what, how it ended.
func eventLine(e adapters.Event, at time.Time) string {
	who, end := e.Agent, ""
	if who == "" {
		who = e.Session
	}
	switch {
	case e.Running:
		end = " …"
	case e.OK != nil && *e.OK:
		end = "  ok"
	case e.OK != nil:
		end = "  failed"
	}
	line := fmt.Sprintf("%s  %-12s %-8s %s%s", at.Format("15:04:05"), who, e.Kind, e.Summary, end)
	if e.Task != "" {
		line += "  (" + e.Task + ")"
	}
	return line
}

// tailPoll is how often the runs' files are looked at.
const tailPoll = 200 * time.Millisecond

// followRuns shows what is added to the files of events that patterns name, those of runs and what a daemon was told, until ctx ends: of files that are
// there from now on, of new ones from their start.
func followRuns(ctx context.Context, patterns []string, show func(adapters.Event)) error {
	t := tail{patterns: patterns, at: map[string]place{}}
	if err := t.look(func(adapters.Event) {}); err != nil {
		return err
	}
	tick := time.NewTicker(tailPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil // this is how a person ends it
		case <-tick.C:
			if err := t.look(show); err != nil {
				return err
			}
		}
	}
}

// tail knows how far each file was read.
type tail struct {
	patterns []string
	at       map[string]place
}

// place is how far a file was read, and which file it was: a name may be given to another one.
type place struct {
	file os.FileInfo // nil: none was there
	at   int64
}

// look shows whole new lines of every file. Files that are gone are forgotten. Of one that was put aside (see eventFile) the rest is shown before the one
// that has its name now; one that is shorter than it was began anew.
func (t *tail) look(show func(adapters.Event)) error {
	var files []string
	for _, p := range t.patterns {
		some, err := filepath.Glob(p)
		if err != nil {
			return err
		}
		files = append(files, some...)
	}
	there := make(map[string]place, len(files))
	for _, file := range files {
		there[file] = t.at[file].read(file, show)
	}
	for name, p := range t.at {
		if _, ok := there[name]; ok || p.file == nil {
			continue
		}
		if fi, err := os.Stat(name + asideSuffix); err == nil && os.SameFile(p.file, fi) {
			there[name] = p // put aside just now: the new one is not there yet
		}
	}
	t.at = there
	return nil
}

// read goes on in the file of a name. What cannot be opened now is read next time.
func (p place) read(name string, show func(adapters.Event)) place {
	f, err := os.Open(name)
	if err != nil {
		return p
	}
	defer f.Close()
	now, err := f.Stat() // of what is open: the name may lead elsewhere already
	if err != nil {
		return p
	}
	if p.file != nil && !os.SameFile(p.file, now) {
		p.finish(name+asideSuffix, show)
		p.at = 0
	}
	if now.Size() < p.at {
		p.at = 0
	}
	if now.Size() != p.at {
		p.at += readEvents(f, p.at, show)
	}
	p.file = now
	return p
}

// finish shows the rest of a file that was put aside.
func (p place) finish(aside string, show func(adapters.Event)) {
	f, err := os.Open(aside)
	if err != nil {
		return // it was not put aside, but taken away
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !os.SameFile(p.file, fi) {
		return
	}
	for at := p.at; ; {
		n := readEvents(f, at, show)
		if n == 0 {
			return
		}
		at += n
	}
}

// readEvents shows the events of a file from at on, and tells how many bytes whole lines had. What cannot be read now is read next time.
func readEvents(f io.ReaderAt, at int64, show func(adapters.Event)) (n int64) {
	const most = 4 << 20 // a look
	text, err := io.ReadAll(io.NewSectionReader(f, at, most))
	if err != nil && !errors.Is(err, io.EOF) {
		return 0
	}
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			if len(text) == most {
				return most // no event is that long
			}
			return n
		}
		n += int64(len(line)) + 1
		var e adapters.Event
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			show(e)
		}
		text = rest
	}
}
