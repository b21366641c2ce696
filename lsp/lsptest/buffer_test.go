package lsptest

import (
	"runtime"
	"testing"
)

// failing is a test that notes that it failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(string, ...any) {
	f.failed = true
	runtime.Goexit()
}

// TestChangeNotOpen holds that a change of a page that is not open fails the test and leaves the lock free, which cleanup takes.
func TestChangeNotOpen(t *testing.T) {
	f := &failing{TB: t}
	e := &Editor{t: f}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Change("/no/such.md", "text")
	}()
	<-ended
	if !f.failed || !e.mu.TryLock() {
		t.Errorf("failed: %t", f.failed)
	}
}
