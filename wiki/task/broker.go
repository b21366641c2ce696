package task

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/adapters/guard"
	"github.com/rigwiki/rig/wiki/task/inside"
)

// A Broker does for an agent what its grant lets leave the sandbox: it pushes the run's branch, fetches, and runs the user's gh. It believes nothing
// that it is told: argv is judged again (package guard), commits are verified as those of a run's end are, and what is run is rendered anew.
type Broker struct {
	o     BrokerOptions
	http  *http.Server
	addr  string
	token string
	serve chan struct{} // closed when the server has ended
	ctx   context.Context
	stop  context.CancelFunc

	work   sync.Mutex // one request at a time: held while git and gh run, so never with mu
	pushes int        // quarantines made; under work

	mu   sync.Mutex // guards done
	done []Crossing
}

// BrokerOptions are what a broker needs to know of its run.
type BrokerOptions struct {
	Checkout *Checkout
	Grant    guard.Grant
	Dir      string         // private folder of the run on the host, which must exist: for quarantines
	Env      []string       // the user's environment
	Note     func(Crossing) // hears of each request when it is done, one at a time; nil: nobody
}

// A Crossing is one request that reached the broker, granted or not.
type Crossing struct {
	At      time.Time `json:"at"`
	Program string    `json:"program"`       // "git", "gh"
	Args    []string  `json:"args"`          // as the agent wrote them
	Did     string    `json:"did,omitempty"` // what was done: a clause; "" where it was denied
	Why     string    `json:"why,omitempty"` // of a denial or a failure
	Code    int       `json:"code"`          // exit status that the agent saw
}

// Event is the crossing as an event of a session.
func (c Crossing) Event(session string) adapters.Event {
	ok := c.Code == 0
	e := adapters.Event{V: 1, Session: session, Kind: "git", Summary: c.Did, Cmd: strings.Join(append([]string{c.Program}, c.Args...), " "), Detail: c.Why, OK: &ok}
	if c.Did == "" {
		e.Summary = "denied: " + c.Why
	}
	return e.Capped()
}

// Bounds of what is done for an agent.
const (
	brokerTimeout = 5 * time.Minute
	maxAnswer     = 8 << 20 // bytes of gh's output
)

// NewBroker starts a broker on a free port of 127.0.0.1. Close ends it.
func NewBroker(o BrokerOptions) (*Broker, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for git and gh: %w", err)
	}
	var token [24]byte
	rand.Read(token[:])
	b := &Broker{o: o, addr: ln.Addr().String(), token: hex.EncodeToString(token[:]), serve: make(chan struct{})}
	b.ctx, b.stop = context.WithCancel(context.Background()) // lives as long as the run, which closes it
	b.http = &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() {
		defer close(b.serve)
		b.http.Serve(ln)
	}()
	return b, nil
}

// Addr is "127.0.0.1:PORT", which the run's network must let the agent reach.
func (b *Broker) Addr() string { return b.addr }

// Env is what the inside needs to find the broker ("K=V"). dir is the checkout and git the real git, both as the agent's side sees them.
func (b *Broker) Env(dir, git string) ([]string, error) {
	b.work.Lock()
	defer b.work.Unlock()
	b.o.Grant.Dir = dir
	door := inside.Door{URL: "http://" + b.addr + "/" + b.token, Git: git, Grant: b.o.Grant, Start: b.o.Checkout.Start}
	door.Grant.Env = slices.Concat(door.Grant.Env, b.o.Checkout.Env())
	text, err := json.Marshal(door)
	if err != nil {
		return nil, err
	}
	return []string{inside.EnvName + "=" + string(text)}, nil
}

// Crossings are the requests so far, in order.
func (b *Broker) Crossings() []Crossing {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Crossing(nil), b.done...)
}

// Close ends the broker and what it is doing, and returns when nothing of it runs any more.
func (b *Broker) Close() error {
	b.stop()
	err := b.http.Close()
	<-b.serve
	b.work.Lock() // a handler at work ends by the context
	defer b.work.Unlock()
	return err
}

// ServeHTTP takes one request.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given := strings.TrimPrefix(r.URL.Path, "/")
	if subtle.ConstantTimeCompare([]byte(given), []byte(b.token)) != 1 || len(r.Header.Values("Origin")) > 0 {
		http.Error(w, "not for you", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	var ask inside.Ask
	if err := inside.ReadHead(r.Body, &ask); err != nil {
		http.Error(w, "not a request: "+err.Error(), http.StatusBadRequest)
		return
	}
	b.work.Lock()
	defer b.work.Unlock()
	ctx, cancel := context.WithTimeoutCause(b.ctx, brokerTimeout, fmt.Errorf("it took longer than %s", brokerTimeout))
	defer cancel()
	defer context.AfterFunc(r.Context(), cancel)()
	ans, bundle, c := b.judge(ctx, ask, r.Body)
	c.At, c.Program, c.Args, c.Code = time.Now().UTC(), ask.Program, ask.Args, ans.Code
	b.note(c)
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := inside.WriteHead(w, ans); err == nil && bundle != nil {
		_, _ = io.Copy(w, bundle) // an agent that went away misses it, nothing else does
	}
}

// note keeps a crossing and tells it.
func (b *Broker) note(c Crossing) {
	b.mu.Lock()
	b.done = append(b.done, c)
	b.mu.Unlock()
	if b.o.Note != nil {
		b.o.Note(c)
	}
}

// judge decides by the arguments alone what is to be done, and does it.
func (b *Broker) judge(ctx context.Context, ask inside.Ask, body io.Reader) (inside.Answer, io.Reader, Crossing) {
	var v guard.Verdict
	switch ask.Program {
	case "git":
		g := b.o.Grant
		g.Env = slices.Concat(g.Env, b.o.Checkout.Env())
		v = guard.Git(g, guard.Call{Args: ask.Args, Env: ask.Env, Dir: ask.Dir})
	case "gh":
		v = guard.GitHub(b.o.Grant, ask.Args, guard.Given(ask.Texts))
	default:
		v = guard.Verdict{Route: guard.Denied, Why: "the host runs git and gh only"}
	}
	switch v.Route {
	case guard.Push:
		ans, c := b.push(ctx, v, ask, body)
		return ans, nil, c
	case guard.Fetch, guard.Pull:
		return b.fetch(ctx, v)
	case guard.OnGitHub:
		ans, c := b.gh(ctx, v)
		if b.o.Grant.PR == 0 && ans.Code == 0 {
			b.o.Grant.PR = v.PR // what a review writes to first is what it reviews: it writes to no other
		}
		return ans, nil, c
	case guard.Denied:
		return denial(v.Why), nil, Crossing{Why: v.Why}
	}
	why := "git " + firstWord(ask.Args) + " is nothing that the host does"
	return denial(why), nil, Crossing{Why: why}
}

func denial(why string) inside.Answer {
	return inside.Answer{Code: 128, Err: []byte("rig: " + why + "\n")}
}

func firstWord(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return fmt.Sprintf("%.40q", args[0])
}
