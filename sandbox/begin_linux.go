package sandbox

import (
	"sync"
	"time"
)

// An initHelper is an overlay's helper on its way: PID 1 of new namespaces, which waits for what it is to build.
type initHelper struct {
	ours   stdio
	helper *helperProc
	err    error
	up     chan struct{} // closed when the above are known
	taken  sync.Once
}

// startInit starts a helper; up tells when it runs.
func startInit() *initHelper {
	h := &initHelper{up: make(chan struct{})}
	go func() {
		defer close(h.up)
		h.start()
	}()
	return h
}

func (h *initHelper) start() {
	ours, its, err := pipes()
	if err != nil {
		h.err = err
		return
	}
	defer its.close()
	if h.helper, h.err = startHelper(initName, its, namespaces()); h.err != nil {
		ours.close()
		return
	}
	h.ours = ours
}

// take gives the helper to its one user; false where it has one.
func (h *initHelper) take() (first bool) {
	h.taken.Do(func() { first = true })
	return first
}

// drop ends a helper that nobody took.
func (h *initHelper) drop() {
	if !h.take() {
		return
	}
	<-h.up
	if h.helper == nil {
		return
	}
	h.helper.w.close() // it ends with it
	select {
	case <-h.helper.gone:
	case <-time.After(killWait): // the kernel ends it with us
	}
	h.ours.close()
}

// begin gives an overlay whose helper is on its way.
func (l overlayLayer) begin() Begun {
	l.early = startInit()
	return Begun{Layer: l, Close: l.early.drop}
}

// init is the helper that was started beforehand, else a new one.
func (l overlayLayer) init() *initHelper {
	if l.early != nil && l.early.take() {
		return l.early
	}
	return startInit()
}
