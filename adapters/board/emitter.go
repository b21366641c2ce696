package board

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rigwiki/rig/adapters"
)

// An Emitter posts events to a board, in order. It never holds up who has them: where the board is slow or dead they are dropped, and counted.
// The zero value and nil post nothing.
type Emitter struct {
	url, token string
	patience   time.Duration
	queue      chan adapters.Event
	ended      chan struct{}
	ctx        context.Context
	stop       context.CancelFunc
	closing    sync.Once
	dropped    atomic.Int64
	client     *http.Client
}

// waiting is how many events wait for a slow board.
const waiting = 1024

// NewEmitter posts to port of 127.0.0.1; "" posts nowhere. patience bounds one request. Close ends it.
func NewEmitter(port, token string, patience time.Duration) *Emitter {
	if port == "" {
		return nil
	}
	e := &Emitter{url: "http://127.0.0.1:" + port + Path, token: token, patience: patience, queue: make(chan adapters.Event, waiting), ended: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{MaxIdleConns: 1}}} // no proxy: the board is on this machine (case o-ev-03)
	e.ctx, e.stop = context.WithCancel(context.Background()) // ends with Close
	go e.work()
	return e
}

func (e *Emitter) work() {
	defer close(e.ended)
	for ev := range e.queue {
		if !e.send(ev) {
			e.dropped.Add(1)
		}
	}
	e.client.CloseIdleConnections()
}

func (e *Emitter) send(ev adapters.Event) bool {
	body, err := json.Marshal(ev)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(e.ctx, e.patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	if e.token != "" {
		req.Header.Set(TokenHeader, e.token)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return false // no board: the run goes on without
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10))
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusNoContent
}

// Post queues an event. It returns at once. It must not be called after Close.
func (e *Emitter) Post(ev adapters.Event) {
	if e == nil || e.queue == nil {
		return
	}
	select {
	case e.queue <- ev:
	default:
		e.dropped.Add(1)
	}
}

// Dropped counts the events that the board did not take.
func (e *Emitter) Dropped() int64 {
	if e == nil {
		return 0
	}
	return e.dropped.Load()
}

// Close posts what still waits, for at most limit, and ends the emitter.
func (e *Emitter) Close(limit time.Duration) {
	if e == nil || e.queue == nil {
		return
	}
	e.closing.Do(func() {
		close(e.queue)
		late := time.AfterFunc(limit, e.stop)
		<-e.ended
		late.Stop()
		e.stop()
	})
}
