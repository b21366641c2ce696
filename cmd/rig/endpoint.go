package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/board"
	"github.com/rigwiki/rig/wiki"
)

// endpoint is the events endpoint that a server offers beside its work.
type endpoint struct {
	server   *board.Server
	token    string
	withdraw func() error
}

// endpointBeside serves events at the port that is asked for, else at BOARD_PORT, else at a free one. A port that is taken is somebody's board, and no
// reason to end: that is said, and a free one is used, which sessions of wired projects find by its publication.
func (a *app) endpointBeside(port int, say func(string, ...any), take func(adapters.Event)) *endpoint {
	e := &endpoint{token: a.getenv("BOARD_TOKEN")}
	var err error
	if port != 0 || a.getenv("BOARD_PORT") != "" {
		if e.server, err = a.serveEvents(port, take); err == nil {
			return e
		}
		say("events are not taken there: %v; a free port is used", err)
	}
	e.token = rand.Text() // nobody was told this port: who knows it was given the token too
	if e.server, err = board.Serve(e.token, take); err != nil {
		say("events of other sessions are not taken: %v", err)
	}
	return e
}

// port is where it listens; 0 for nowhere.
func (e *endpoint) port() int {
	if e.server == nil {
		return 0
	}
	return e.server.Port()
}

// publish lets sessions of wired projects find the endpoint.
func (e *endpoint) publish(rigHome string, say func(string, ...any)) {
	if e.server == nil {
		return
	}
	var err error
	if e.withdraw, err = wiki.PublishBoard(rigHome, wiki.Board{Port: e.port(), Token: e.token}); err != nil {
		say("wired sessions will not find the events endpoint: %v", err)
	}
}

// close ends the endpoint, when what was taken is handed on.
func (e *endpoint) close() error {
	var errs []error
	if e.withdraw != nil {
		errs = append(errs, e.withdraw())
	}
	if e.server != nil {
		errs = append(errs, e.server.Close())
	}
	return errors.Join(errs...)
}

// An eventFile keeps what a program without a screen was told, for `rig wiki events tail`. It is no longer than maxEventFile, and one older part is kept.
type eventFile struct {
	path string
	f    *os.File
	size int64
}

const maxEventFile = 8 << 20

// asideSuffix is added to the name of the older part.
const asideSuffix = ".1"

// eventFilePath is where the daemon keeps them.
func eventFilePath(rigHome string) string { return filepath.Join(rigHome, "daemon", "events.jsonl") }

// servedFilePath is where `rig wiki events --serve` keeps them. Several may serve at once, each at a port of its own.
func servedFilePath(rigHome string) string { return filepath.Join(rigHome, "daemon", "served.jsonl") }

// add appends a completed event. It is called by one goroutine.
func (f *eventFile) add(e adapters.Event) error {
	if e.Running {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := f.open(int64(len(line)) + 1); err != nil {
		return err
	}
	n, err := f.f.Write(append(line, '\n'))
	f.size += int64(n)
	return err
}

// open makes room for n bytes. A file that another program put aside is left to it.
func (f *eventFile) open(n int64) error {
	if f.f != nil && f.movedAway() {
		if err := f.close(); err != nil {
			return err
		}
	}
	if f.f != nil && f.size+n > maxEventFile {
		if err := errors.Join(f.close(), os.Rename(f.path, f.path+asideSuffix)); err != nil {
			return err
		}
	}
	if f.f != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	var err error
	if f.f, err = os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	fi, err := f.f.Stat()
	if err == nil {
		f.size = fi.Size()
	}
	return err
}

// movedAway tells whether the name leads to another file by now, or to none.
func (f *eventFile) movedAway() bool {
	mine, err := f.f.Stat()
	if err != nil {
		return true
	}
	named, err := os.Stat(f.path)
	return err != nil || !os.SameFile(mine, named)
}

func (f *eventFile) close() error {
	if f.f == nil {
		return nil
	}
	err := f.f.Close()
	f.f = nil
	return err
}
