package lsp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

const (
	tokenPrefix = "rigwiki/"
	lineEvery   = 100 * time.Millisecond // of the live line; an agent's stream is quicker than eyes
)

// progress is the server-made, cancellable work-done progress of one run. It has its own goroutine, so that a client that is slow to make the
// token, or never does, keeps nothing else waiting. It sends begin first, end exactly once, and nothing where the client refused the token.
type progress struct {
	line chan string // the newest line; one slot
	end  chan string
}

// startProgress begins a progress, or one that sends nothing where the client has none.
func (s *server) startProgress(run, title string) *progress {
	p := &progress{line: make(chan string, 1), end: make(chan string, 1)}
	if s.caps.progress {
		s.background(func(ctx context.Context) { s.showProgress(ctx, p, protocol.String(tokenPrefix+run), title) })
	}
	return p
}

// say replaces the line that waits to be shown.
func (p *progress) say(line string) {
	select {
	case <-p.line:
	default:
	}
	select {
	case p.line <- line:
	default:
	}
}

// finish ends the progress with a sentence. It is called once.
func (p *progress) finish(sentence string) { p.end <- sentence }

func (s *server) showProgress(ctx context.Context, p *progress, token protocol.ProgressToken, title string) {
	if err := s.client.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
		return
	}
	s.sendProgress(token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: ptr(true)})
	pause := time.NewTicker(lineEvery)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case sentence := <-p.end:
			s.sendProgress(token, &protocol.WorkDoneProgressEnd{Kind: "end", Message: &sentence})
			return
		case line := <-p.line:
			s.sendProgress(token, &protocol.WorkDoneProgressReport{Kind: "report", Cancellable: ptr(true), Message: &line})
		}
		select { // not more often than eyes can read; the end does not wait
		case <-pause.C:
		case sentence := <-p.end:
			p.end <- sentence
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) sendProgress(token protocol.ProgressToken, value any) {
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = s.client.Progress(s.ctx, &protocol.ProgressParams{Token: token, Value: raw})
	}
	if err != nil && s.ctx.Err() == nil {
		s.log.Debug("progress not sent", zap.Error(err))
	}
}

// progressCancel cancels the run of a token, or stops what else has one. Clients send it for any token, also for those of others: unknown ones are ignored.
func (s *server) progressCancel(_ context.Context, p *protocol.WorkDoneProgressCancelParams) error {
	if token, ok := p.Token.(protocol.String); ok {
		if run, ours := strings.CutPrefix(string(token), tokenPrefix); ours {
			if stop, ok := s.stops.Load(run); ok {
				stop.(context.CancelFunc)()
				return nil
			}
			s.host.Cancel(strings.Clone(run))
		}
	}
	return nil
}

// queueLine says where a run stands.
func queueLine(agent string, position int, message string) string {
	var parts []string
	if agent != "" {
		parts = append(parts, agent)
	}
	if position > 0 {
		parts = append(parts, fmt.Sprintf("number %d in the queue", position))
	}
	if message != "" {
		parts = append(parts, message)
	}
	return strings.Join(parts, " · ")
}
