package adaptertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
)

// sse writes server-sent events.
type sse struct {
	w http.ResponseWriter
	f http.Flusher
}

func newSSE(w http.ResponseWriter) sse {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	s := sse{w, w.(http.Flusher)}
	s.f.Flush()
	return s
}

func (s sse) send(event string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // built from literals
	}
	if event != "" {
		fmt.Fprintf(s.w, "event: %s\n", event)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", b)
	s.f.Flush()
}

// ids count over all servers of a test binary: agents compare them within one conversation only.
var ids atomic.Int64

func id(prefix string) string { return fmt.Sprintf("%s_%06d", prefix, ids.Add(1)) }

// answerJSON is the form without a stream.
func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that went away is its own business
}
