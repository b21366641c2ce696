package board

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rigwiki/rig/adapters"
)

func TestEmitter(t *testing.T) {
	s, got := serve(t, "right")
	e := NewEmitter(strconv.Itoa(s.Port()), "right", time.Minute)
	for i := range 50 {
		e.Post(adapters.Event{V: 1, Session: "s", Kind: "edit", Summary: strconv.Itoa(i)})
	}
	e.Close(time.Minute)
	for i := range 50 {
		if ev := <-got; ev.Summary != strconv.Itoa(i) {
			t.Fatalf("event %d is %q", i, ev.Summary)
		}
	}
	if e.Dropped() != 0 {
		t.Errorf("%d dropped", e.Dropped())
	}
	var none *Emitter
	none.Post(adapters.Event{})
	none.Close(0)
	wrong := NewEmitter(strconv.Itoa(s.Port()), "wrong", time.Minute)
	wrong.Post(adapters.Event{V: 1, Session: "s", Kind: "edit"})
	wrong.Close(time.Minute)
	if wrong.Dropped() != 1 {
		t.Errorf("a refused event counts as taken")
	}
}

// A board that takes connections and never answers, and one that is not there, cost the one who has the events no time.
func TestDeadBoard(t *testing.T) {
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := func(l net.Listener) string { return strconv.Itoa(l.Addr().(*net.TCPAddr).Port) }
	nobody := port(gone)
	gone.Close()
	for name, at := range map[string]string{"mute": port(mute), "nobody": nobody} {
		t.Run(name, func(t *testing.T) {
			e := NewEmitter(at, "", time.Hour) // the patience for one post: never reached, or this test hangs
			const n = 3 * waiting
			for range n {
				e.Post(adapters.Event{V: 1, Session: "s", Kind: "edit"})
			}
			e.Close(10 * time.Millisecond)
			if e.Dropped() != n {
				t.Errorf("%d of %d are counted as dropped", e.Dropped(), n)
			}
		})
	}
}

// TestSoak: 50 sessions post 2,000 events a second in all; none is lost, and memory does not grow with their number. RIG_SOAK=60s makes it last.
func TestSoak(t *testing.T) {
	length := 2 * time.Second
	if v := os.Getenv("RIG_SOAK"); v != "" {
		var err error
		if length, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	const sessions, rate = 50, 2000
	var taken atomic.Int64
	var live adapters.Live
	s, err := Serve("token", func(e adapters.Event) { taken.Add(int64(len(live.Add(e)))) })
	if err != nil {
		t.Fatal(err)
	}
	each := int(length.Seconds() * rate / sessions)
	var early, sent atomic.Int64 // heap after a quarter, in bytes; events sent
	var wg sync.WaitGroup
	start := time.Now()
	for i := range sessions {
		wg.Go(func() {
			client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
			e := Emitter{url: s.URL(), token: "token", patience: time.Minute, client: client, ctx: t.Context()}
			for n := range each {
				<-time.After(time.Until(start.Add(time.Duration(n) * time.Second * sessions / rate))) // at its time, or at once where we are late
				if !e.send(adapters.Event{V: 1, Session: fmt.Sprint(i), Kind: "command", Summary: "go test ./...", Cmd: "go test ./...", Detail: "a few words of output"}) {
					t.Error("an event was not taken")
					return
				}
				sent.Add(1)
				if i == 0 && n == each/4 {
					early.Store(heap())
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	late := heap()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if want := int64(sessions * each); taken.Load() != want || s.Lost() != 0 || s.Refused() != 0 {
		t.Errorf("%d of %d events came, %d lost, %d refused", taken.Load(), want, s.Lost(), s.Refused())
	}
	if grown := late - early.Load(); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	t.Logf("%d events of %d sessions in %s (%.0f a second), %d lost; heap %d KiB after a quarter, %d KiB at the end",
		taken.Load(), sessions, took.Round(time.Millisecond), float64(taken.Load())/took.Seconds(), s.Lost(), early.Load()>>10, late>>10)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
