package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

var update = flag.Bool("update", false, "write the golden files")

// scripted is a real host whose runs end as the test says.
type scripted struct {
	*wiki.Host
	mu    sync.Mutex
	jobs  []string
	scans int
	end   func(ctx context.Context, job wiki.Job) proposal.Record
}

func (s *scripted) Run(ctx context.Context, job wiki.Job, _ func(wiki.Update)) proposal.Record {
	s.mu.Lock()
	s.jobs = append(s.jobs, strings.Join(job.Sources, " "))
	s.mu.Unlock()
	return s.end(ctx, job)
}

func (s *scripted) Scan(ctx context.Context, w *wiki.Wiki) ([]wiki.ScannedSource, error) {
	s.mu.Lock()
	s.scans++
	s.mu.Unlock()
	return s.Host.Scan(ctx, w)
}

func (s *scripted) counts() (jobs, scans int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs), s.scans
}

// clock is a clock that the test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// rig is a daemon at work in a test.
type rig struct {
	t           *testing.T
	host        *scripted
	wiki        *wiki.Wiki
	clock       *clock
	reload, end chan struct{}
	mu          sync.Mutex
	said        []string
	over        chan error
	stop        context.CancelFunc
}

func newRig(t *testing.T, end func(context.Context, wiki.Job) proposal.Record) *rig {
	t.Helper()
	top := t.TempDir()
	w, _, err := wiki.Init(filepath.Join(top, "garden"), wiki.InitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := wiki.NewHost(wiki.Options{RigHome: filepath.Join(top, "home"), Env: []string{"HOME=" + top}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rig{t: t, host: &scripted{Host: h, end: end}, wiki: w, clock: &clock{now: time.Now()}, reload: make(chan struct{}), end: make(chan struct{})}
}

// start lets the daemon run; it is ended with the test.
func (r *rig) start(o Options) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	r.stop, r.over = cancel, make(chan error, 1)
	o.Host, o.Wikis, o.Now, o.Reload, o.End, o.Settled = r.host, append(o.Wikis, r.wiki.Root), r.clock.Now, r.reload, r.end, time.Millisecond
	o.Tell = func(format string, args ...any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, fmt.Sprintf(format, args...))
	}
	go func() { r.over <- Run(ctx, o) }()
	r.t.Cleanup(func() { r.kill() })
}

// kill ends the daemon at once.
func (r *rig) kill() {
	r.t.Helper()
	r.stop()
	r.wait()
}

func (r *rig) wait() {
	r.t.Helper()
	select {
	case err := <-r.over:
		if err != nil {
			r.t.Error(err)
		}
		r.over <- nil
	case <-time.After(time.Minute):
		r.t.Fatal("the daemon does not end")
	}
}

func (r *rig) source(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.wiki.Root, "raw", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.t.Fatalf("never: %s; it said\n%s", what, strings.Join(r.said, "\n"))
		}
	}
}

func (r *rig) hears(part string) {
	r.t.Helper()
	r.until("hear "+part, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return strings.Contains(strings.Join(r.said, "\n"), part)
	})
}

// entry is a source's entry on disk.
func (r *rig) entry(source string) Entry {
	q, err := LoadQueue(r.host.RigHome())
	if err != nil {
		r.t.Error(err)
		return Entry{}
	}
	if e := q.find(r.wiki.Root, source); e != nil {
		return *e
	}
	return Entry{}
}

func failing(_ context.Context, job wiki.Job) proposal.Record {
	return proposal.Record{Run: "r", State: proposal.Failed, Exit: wiki.ExitFailed, Message: "the model is busy"}
}

// TestRetries: what fails is tried again later and later, then given up with the reason; a new text starts anew. A clock that jumps neither loses a
// try nor makes it wait for years.
func TestRetries(t *testing.T) {
	r := newRig(t, failing)
	r.source("a.md", "# A\n")
	r.start(Options{})
	for try := 1; try <= maxTries; try++ {
		r.until(fmt.Sprintf("try %d", try), func() bool { n, _ := r.host.counts(); e := r.entry("raw/a.md"); return n == try && e.Tries == try })
		e := r.entry("raw/a.md")
		if try < maxTries {
			if wait := e.Next.Sub(r.clock.Now()); e.State != Waiting || wait <= 0 || wait > longest {
				t.Fatalf("after try %d: %+v", try, e)
			}
			r.clock.set(e.Next.Add(time.Second))
			if try == 2 {
				r.clock.set(r.clock.Now().AddDate(-3, 0, 0)) // put back by years: the next try is not years away
			}
			r.poke()
		}
	}
	if e := r.entry("raw/a.md"); e.State != GaveUp || !strings.Contains(e.Reason, "given up after 5 tries: the model is busy") {
		t.Errorf("%+v", e)
	}
	r.poke()
	r.source("a.md", "# A, better\n")
	r.until("the new text is tried, as its first", func() bool { n, _ := r.host.counts(); return n == maxTries+1 && r.entry("raw/a.md").Tries == 1 })
}

// poke makes the daemon look, as its clock would after a while.
func (r *rig) poke() {
	r.t.Helper()
	r.source("poke.bin", fmt.Sprintf("\x00%d", time.Now().UnixNano()))
}

// TestDiffNames: sources whose names differ in their ending or in a folder alone have a diff each, at the same place for as long as it waits.
func TestDiffNames(t *testing.T) {
	q := &Queue{}
	for _, c := range []struct{ wiki, source, at string }{
		{"/w", "raw/notes.md", "proposals/notes.diff"},
		{"/w", "raw/notes.txt", "proposals/notes-2.diff"},
		{"/w", "raw/Notes.pdf", "proposals/Notes-3.diff"},
		{"/w", "raw/sub/a.md", "proposals/sub-a.diff"},
		{"/w", "raw/sub-a.md", "proposals/sub-a-2.diff"},
		{"/other", "raw/notes.md", "proposals/notes.diff"},
	} {
		e := Entry{Wiki: c.wiki, Source: c.source}
		if e.Diff = q.diffOf(e); e.Diff != c.at || q.diffOf(e) != c.at {
			t.Errorf("%s %s: %s, want %s", c.wiki, c.source, e.Diff, c.at)
		}
		q.Entries = append(q.Entries, e)
	}
}

// TestLimit: no more runs are started within a day than the configuration allows; a day later they go on.
func TestLimit(t *testing.T) {
	r := newRig(t, func(context.Context, wiki.Job) proposal.Record {
		return proposal.Record{Run: "r", State: proposal.Empty, Exit: wiki.ExitNothing, Message: "nothing to say"}
	})
	r.config(`{wiki: {daemon: {runsPerDay: 2}}}`)
	for i := range 4 {
		r.source(fmt.Sprintf("%d.md", i), fmt.Sprintf("# %d\n", i))
	}
	r.start(Options{})
	r.hears("2 runs were started within a day")
	if n, _ := r.host.counts(); n != 2 {
		t.Errorf("%d runs", n)
	}
	r.clock.set(r.clock.Now().Add(25 * time.Hour))
	r.poke()
	r.until("the rest", func() bool { n, _ := r.host.counts(); return n == 4 })
	if e := r.entry("raw/0.md"); e.State != GaveUp || e.Reason != "nothing to say" {
		t.Errorf("%+v", e)
	}
}

func (r *rig) config(text string) {
	r.t.Helper()
	if err := errors.Join(os.MkdirAll(r.host.RigHome(), 0o700), os.WriteFile(filepath.Join(r.host.RigHome(), "config.json5"), []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

// TestOneLook: ten thousand files at once cost few looks, and what is no text or hidden is left alone.
func TestOneLook(t *testing.T) {
	r := newRig(t, failing)
	if err := os.WriteFile(r.wiki.Config, []byte("ingestRules:\n  auto-on-new: ['raw/wanted/**']\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.start(Options{})
	r.hears("watching")
	r.until("the first look", func() bool { _, n := r.host.counts(); return n > 0 })
	_, before := r.host.counts()
	for i := range 10_000 {
		r.source(fmt.Sprintf("many/%d.md", i), "# x\n")
	}
	r.source("wanted/b.bin", "\x00\x01")
	r.source("wanted/.hidden.md", "# hidden\n")
	r.source("wanted/a.md", "# A\n")
	r.until("the run", func() bool { n, _ := r.host.counts(); return n == 1 })
	if _, after := r.host.counts(); after-before > 200 { // a busy machine writes with gaps, and each may be taken for the end
		t.Errorf("%d looks", after-before)
	}
	if r.host.jobs[0] != "raw/wanted/a.md" {
		t.Errorf("%q", r.host.jobs)
	}
}

// TestEnd: on the signal to end the current run is finished within the grace, else given back, which is no try; the next daemon takes it up.
func TestEnd(t *testing.T) {
	started, release := make(chan struct{}, 9), make(chan struct{})
	run := func(ctx context.Context, _ wiki.Job) proposal.Record {
		started <- struct{}{}
		select {
		case <-release:
			return proposal.Record{Run: "r", State: proposal.Empty, Exit: wiki.ExitNothing, Message: "done with it"}
		case <-ctx.Done():
			return proposal.Record{Run: "r", State: proposal.Cancelled, Exit: wiki.ExitCancelled}
		}
	}
	r := newRig(t, run)
	r.source("a.md", "# A\n")
	r.start(Options{Grace: time.Millisecond})
	<-started
	if e := r.entry("raw/a.md"); e.State != Running && e.State != "" { // "" where the file is not written yet
		t.Errorf("%+v", e)
	}
	r.end <- struct{}{}
	r.wait()
	if e := r.entry("raw/a.md"); e.State != Waiting || e.Tries != 0 {
		t.Errorf("given back: %+v", e)
	}
	r.start(Options{Grace: time.Hour})
	<-started
	r.end <- struct{}{}
	r.reload <- struct{}{} // comes too late, and keeps nobody waiting
	close(release)
	r.wait()
	if e := r.entry("raw/a.md"); e.State != GaveUp || e.Reason != "done with it" {
		t.Errorf("finished: %+v", e)
	}
}

// TestPause: a queue that is paused by any program rests; a reload takes a new configuration.
func TestPause(t *testing.T) {
	r := newRig(t, failing)
	if err := r.host.Pause(r.wiki); err != nil {
		t.Fatal(err)
	}
	r.source("a.md", "# A\n")
	r.start(Options{})
	r.hears("queued")
	if n, _ := r.host.counts(); n != 0 {
		t.Errorf("%d runs in a paused queue", n)
	}
	if err := r.host.Resume(r.wiki); err != nil {
		t.Fatal(err)
	}
	r.config(`{wiki: {nonsense`)
	r.reload <- struct{}{}
	r.hears("the configuration stays as it was")
	r.config(`{wiki: {daemon: {runsPerDay: 3}}}`)
	r.reload <- struct{}{}
	r.until("the run", func() bool { n, _ := r.host.counts(); return n == 1 })
}

// TestOneDaemon: a second one on the same state is refused, and status knows the first.
func TestOneDaemon(t *testing.T) {
	r := newRig(t, failing)
	if Process(r.host.RigHome()) != 0 {
		t.Error("a daemon before there is one")
	}
	r.start(Options{})
	r.hears("watching")
	if err := Run(t.Context(), Options{Host: r.host, Wikis: []string{r.wiki.Root}, Tell: func(string, ...any) {}}); !errors.Is(err, ErrRunning) {
		t.Error(err)
	}
	if pid := Process(r.host.RigHome()); pid != os.Getpid() {
		t.Errorf("process %d", pid)
	}
	r.kill()
	if pid := Process(r.host.RigHome()); pid != 0 {
		t.Errorf("process %d after its end", pid)
	}
}

// TestKilled: a run that was on when the daemon was killed is a try that failed; a broken queue is told, not thrown away.
func TestKilled(t *testing.T) {
	r := newRig(t, failing)
	r.source("a.md", "# A\n")
	sha, err := shaOf(r.wiki, "raw/a.md")
	if err != nil {
		t.Fatal(err)
	}
	q := &Queue{file: QueueFile(r.host.RigHome()), Entries: []Entry{{Wiki: r.wiki.Root, Source: "raw/a.md", SHA: sha, State: Running, Added: time.Now(), Tries: 1}}}
	if err := q.Save(); err != nil {
		t.Fatal(err)
	}
	if pid, seen, err := Look(r.host.RigHome(), time.Now()); err != nil || pid != 0 || seen.Entries[0].State != Waiting || seen.Entries[0].Reason != "the daemon died during the run" {
		t.Errorf("who looks sees %d %+v %v", pid, seen, err)
	}
	if e := r.entry("raw/a.md"); e.State != Running {
		t.Errorf("a look has changed the queue: %+v", e)
	}
	r.start(Options{})
	r.until("it waits for the next try", func() bool { e := r.entry("raw/a.md"); return e.State == Waiting && e.Tries == 2 })
	r.kill()
	if err := os.WriteFile(q.file, []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), Options{Host: r.host, Wikis: []string{r.wiki.Root}, Tell: func(string, ...any) {}}); err == nil || !strings.Contains(err.Error(), "queue.json") {
		t.Error(err)
	}
	if text, _ := os.ReadFile(q.file); string(text) != "{half" {
		t.Errorf("the broken queue became %q", text)
	}
}

// TestSpent counts runs over a day, whatever the clock does.
func TestSpent(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	q := &Queue{Spent: []time.Time{now.Add(-25 * time.Hour), now.Add(-time.Hour), now.Add(90 * 24 * time.Hour)}}
	if q.maySpend(2, now) || !q.maySpend(3, now) || len(q.Spent) != 2 {
		t.Errorf("%v", q.Spent)
	}
	if !q.maySpend(1, now.Add(25*time.Hour)) {
		t.Errorf("what lay ahead of the clock blocks for more than a day: %v", q.Spent)
	}
}

// TestService compares what is installed with testdata, and asks the service manager for no more than it should.
func TestService(t *testing.T) {
	for _, goos := range []string{"linux", "darwin"} {
		home := t.TempDir()
		var asked []string
		s := Service{GOOS: goos, Home: home, UID: 501, Self: "/opt/my tools/rig", Args: []string{"--apply", "--wiki", `/home/ann/50% "notes" $x`}, Env: []string{"PATH=/usr/bin:/home/ann/.local/bin", "RIG_HOME=/home/ann/.rig & co"},
			Run: func(_ context.Context, argv ...string) error {
				asked = append(asked, strings.ReplaceAll(strings.Join(argv, " "), home, "~"))
				return nil
			}}
		file, err := s.Install(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(file, home, "~") + "\n" + strings.ReplaceAll(string(text), home, "/home/ann")
		golden := filepath.Join("testdata", goos+".service")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); got != string(want) {
			t.Errorf("%v, got\n%s", err, got)
		}
		if _, err := s.Uninstall(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(file); !os.IsNotExist(err) {
			t.Error(err)
		}
		if _, err := s.Uninstall(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		wantAsked := map[string][]string{
			"linux":  {"systemctl --user daemon-reload", "systemctl --user enable --now rig-wiki.service", "systemctl --user restart rig-wiki.service", "systemctl --user disable --now rig-wiki.service", "systemctl --user daemon-reload"},
			"darwin": {"launchctl bootout gui/501/io.github.rigwiki.daemon", "launchctl bootstrap gui/501 ~/Library/LaunchAgents/io.github.rigwiki.daemon.plist", "launchctl bootout gui/501/io.github.rigwiki.daemon"},
		}[goos]
		if a, b := mustJSON(t, asked), mustJSON(t, wantAsked); a != b {
			t.Errorf("%s: asked %s", goos, a)
		}
	}
	if _, err := (Service{GOOS: "plan9"}).Install(t.Context()); err == nil {
		t.Error("plan9 has no services that we know")
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNetworkDrive: where changes come from other machines no event tells of them, and the daemon looks from time to time.
func TestNetworkDrive(t *testing.T) {
	r := newRig(t, failing)
	r.start(Options{Poll: 20 * time.Millisecond, Drive: func(string) string { return "nfs" }})
	r.hears("is on a network drive (nfs): it is looked at every 20ms")
	r.source("a.md", "# A\n")
	r.until("the run", func() bool { n, _ := r.host.counts(); return n == 1 })
	r.source("deep/er/b.md", "# B\n")
	r.until("the run of a file in a new folder", func() bool { n, _ := r.host.counts(); return n == 2 })
}

// TestChanged: a source that changed since it was ingested is told of, once; it is ingested again where the wiki's rules say so. So is one that was deleted.
func TestChanged(t *testing.T) {
	r := newRig(t, func(_ context.Context, job wiki.Job) proposal.Record {
		if job.Timeout != time.Hour {
			t.Errorf("timeout %s", job.Timeout)
		}
		return failing(context.Background(), job)
	})
	r.source("a.md", "# A\n")
	page := func(name, source string) {
		t.Helper()
		text := "---\ntype: source\nsource-path: raw/" + source + "\nsource-sha: 0000\n---\n# A\n"
		if err := os.WriteFile(filepath.Join(r.wiki.Root, "sources", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page("a.md", "a.md")
	page("b.md", "b.md")
	r.start(Options{Timeout: time.Hour})
	r.hears("a.md: RAW DRIFT since it was ingested; `rig wiki ingest` takes it again")
	r.hears("b.md: DELETED since it was ingested; `rig wiki scan --cascade` proposes what goes with it")
	if n, _ := r.host.counts(); n != 0 {
		t.Errorf("%d runs without a rule", n)
	}
	if err := os.WriteFile(r.wiki.Config, []byte("ingestRules: [auto-on-change]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.reload <- struct{}{}
	r.until("the run", func() bool { n, _ := r.host.counts(); return n == 1 })
	r.until("it stays in the queue", func() bool { e := r.entry("raw/a.md"); return e.State == Waiting && e.Tries == 1 })
}

// TestFromHome: a daemon that is started without HOME finds the home folder that the system knows, as everything else of ours does.
func TestFromHome(t *testing.T) {
	t.Setenv("HOME", "/somewhere")
	for in, want := range map[string]string{"~/notes": "/somewhere/notes", "/a/b": "/a/b", "~": "~", "~x/y": "~x/y"} {
		if got := FromHome(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	t.Setenv("HOME", "")
	home := wiki.HomeFolder(nil)
	if home == "" {
		t.Skip("the system does not know this user")
	}
	if got, want := FromHome("~/notes"), filepath.Join(home, "notes"); got != want {
		t.Errorf("without HOME ~/notes is %q, want %q", got, want)
	}
}
