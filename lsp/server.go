package lsp

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// Options is what a server needs.
type Options struct {
	Host    Host
	Log     *zap.Logger // nil: none
	Version string      // of the server, as initialize tells it
	Events  <-chan any  // of sessions that are no runs of ours, for clients that want notifications; nil: none
}

// The bounds of waiting. No client may keep us longer.
const (
	answerWait = 25 * time.Second // of a command for the client's answer to its own applyEdit; clients give up after 30 s
	settleWait = 2 * time.Second  // for the changes that follow the client's answer
	lastWait   = 3 * time.Second  // for the books of a client that went without an answer
	closeWait  = 5 * time.Second  // for runs and goroutines at the end
	pollEvery  = time.Second      // of looks at the client's process and at the runs of other programs

	// settingsWait is how long a run waits for the client's answer about settings: a client that hears nothing while it waits for a command must not hang.
	settingsWait = time.Second
	// indexWait bounds how long an answer waits for an index that is still being opened, hoverWait how long a hover or a menu does: better nothing than late.
	indexWait, hoverWait = 2 * time.Second, 200 * time.Millisecond
)

// server is one session with one client.
type server struct {
	host    Host
	log     *zap.Logger
	version string
	events  <-chan any
	ctx     context.Context // ends with the connection; work that outlives a reply runs under it
	client  protocol.Client
	conn    jsonrpc2.Conn
	life    lifecycle
	editor
	desk
	bounds bounds
	quit   chan struct{} // closed by exit and by the end of the client's process
	once   sync.Once
	work   sync.WaitGroup
}

// editor is what we know of the client.
type editor struct {
	caps    capabilities // set by initialize, before any other message is admitted
	docs    *documents
	folders *folders
	set     *settings
	configs *configs
	unsaved *unsavedPages
}

// desk is what lies open in the session: runs, proposals, and what is shown of them.
type desk struct {
	runs      *runs
	shelf     *shelf
	board     *board
	pulled    *pulled
	pages     *pages
	after     *aftermath
	ready     *readyEdits
	conflicts *conflicts
	held      *heldBack
	stops     sync.Map // token of a progress that is no run's -> context.CancelFunc
}

// bounds are the waits of a session. Tests have others: on a busy machine no step may meet one that it is not about.
type bounds struct{ answer, settle, last, close, poll, settings, index, hover time.Duration }

// usual are the bounds of a session with a client.
func usual() bounds {
	return bounds{answer: answerWait, settle: settleWait, last: lastWait, close: closeWait, poll: pollEvery, settings: settingsWait, index: indexWait, hover: hoverWait}
}

// Serve speaks LSP over rwc until the client says exit, closes its side, dies, or ctx ends; it closes rwc. The exit code is 0 after a shutdown,
// else 1 (LSP 3.18, exit). The runs that this session started are cancelled; the host stays open.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, o Options) (exit int, err error) {
	return serve(ctx, rwc, o, usual())
}

func serve(ctx context.Context, rwc io.ReadWriteCloser, o Options, b bounds) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	s := &server{host: o.Host, log: o.Log, version: o.Version, events: o.Events, ctx: ctx, bounds: b, quit: make(chan struct{}),
		editor: editor{docs: newDocuments(), folders: newFolders(), set: &settings{}, configs: newConfigs(), unsaved: newUnsavedPages()},
		desk: desk{runs: newRuns(), shelf: newShelf(), board: newBoard(), pulled: newPulled(), pages: newPages(), after: newAftermath(), ready: newReadyEdits(),
			conflicts: newConflicts(), held: newHeldBack()}}
	s.conn = jsonrpc2.NewConn(forgiving{jsonrpc2.NewStream(&capped{ReadWriteCloser: rwc})}, jsonrpc2.WithCodec(codec{}))
	s.client = protocol.ClientDispatcher(s.conn)
	s.conn.Go(ctx, s.handler())
	select {
	case <-s.conn.Done():
	case <-s.quit:
	case <-ctx.Done():
	}
	for _, run := range s.runs.live() {
		s.host.Cancel(run)
	}
	s.await("runs", s.runs.wait)
	cancel()
	s.await("connection", func() {
		// Closing stdin does not end a read that blocks in it: the wait is bounded and the process ends anyway.
		if err := s.conn.Close(); err != nil {
			s.log.Debug("close the connection", zap.Error(err))
		}
	})
	s.await("background work", s.work.Wait)
	return s.life.exitCode(), s.conn.Err()
}

// await runs f, for bounds.close at most.
func (s *server) await(what string, f func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(s.bounds.close):
		s.log.Warn("gave up waiting", zap.String("for", what))
	}
}

// background runs f under the connection's context; Serve waits for it. A panic in it is logged: the server lives.
func (s *server) background(f func(ctx context.Context)) {
	s.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic in the background", zap.Any("panic", p), zap.Stack("stack"))
			}
		}()
		f(s.ctx)
	})
}

func (s *server) stop() { s.once.Do(func() { close(s.quit) }) }

// lifecycle holds the order of initialize, shutdown and exit.
type lifecycle struct {
	mu    sync.Mutex
	state phase
}

type phase int

const (
	fresh phase = iota
	open
	shut
)

// admit says whether a message may be served now: before initialize only initialize and exit, after shutdown only exit.
func (l *lifecycle) admit(method string, isCall bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case method == protocol.MethodExit:
		return nil
	case method == protocol.MethodInitialize && l.state == fresh && isCall:
		l.state = open
		return nil
	case method == protocol.MethodInitialize && isCall:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize was sent before")
	case l.state == fresh:
		return jsonrpc2.NewError(codeNotInitialized, "the server waits for initialize")
	case l.state == shut:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down")
	}
	return nil
}

func (l *lifecycle) exitCode() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == shut {
		return 0
	}
	return 1
}

// shutdown cancels what runs and answers; the process stays for exit.
func (s *server) shutdown(context.Context, *struct{}) (any, error) {
	s.life.mu.Lock()
	s.life.state = shut
	s.life.mu.Unlock()
	for _, run := range s.runs.live() {
		s.host.Cancel(run)
	}
	return nil, nil
}

func (s *server) exit(context.Context, *struct{}) error {
	s.stop()
	return nil
}

// watchClient stops the server when the client's process is gone: a killed editor may leave our stdin open. A process that cannot be seen at
// the start (another container) is not watched.
func (s *server) watchClient(pid int) {
	p, err := os.FindProcess(pid)
	if err != nil || gone(p) {
		return
	}
	s.background(func(ctx context.Context) {
		tick := time.NewTicker(s.bounds.poll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if gone(p) {
					s.log.Info("the client's process is gone", zap.Int("pid", pid))
					s.stop()
					return
				}
			}
		}
	})
}

// gone tells whether a process has ended. One that we may not signal is there.
func gone(p *os.Process) bool {
	err := p.Signal(syscall.Signal(0))
	return err == os.ErrProcessDone || err == syscall.ESRCH
}
