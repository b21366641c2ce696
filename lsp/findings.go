package lsp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// linted gives what is wrong with the text of an open page: the one producer of what is pushed, pulled and mended. ok is false where the page is
// open no more, is of no wiki that wants findings, or moved on meanwhile.
func (s *server) linted(ctx context.Context, x *index.Index, w *wiki.Wiki, rel string, doc *document) (found []lint.Finding, ok bool) {
	if !s.config(w).Feature(featureDiagnostics) {
		return nil, false
	}
	s.layIn(ctx, doc.path)
	if text, there := x.Source(rel); !there || !bytes.Equal(text, doc.text) {
		return nil, false
	}
	rules := s.host.LintRules(w)
	rules.Prompt = true
	found = lint.Page(x, rules, rel)
	now, open := s.docs.get(doc.path)
	return found, open && now == doc
}

// diagnosticOf shows a finding.
func diagnosticOf(f lint.Finding, l *lines) protocol.Diagnostic {
	severity := severityHint
	switch f.Severity {
	case lint.Error:
		severity = severityError
	case lint.Warning:
		severity = severityWarning
	}
	return finding(l.span(f.Start, f.End), f.Code, f.Message, severity)
}

// checkPage looks for what is wrong in an open page and publishes it where it changed; a client that pulls is asked to pull again where what it
// has of this text is no longer right.
func (s *server) checkPage(ctx context.Context, file string) {
	doc, open := s.docs.get(file)
	if !open {
		return
	}
	w, rel, ok := s.folders.wikiOf(file)
	if !ok {
		return
	}
	x, err := s.index(ctx, w)
	if err != nil {
		return // told where it was opened
	}
	found, ok := s.linted(ctx, x, w, rel, doc)
	if !ok && s.config(w).Feature(featureDiagnostics) {
		return // the page moved on, and is due again
	}
	l := newLines(doc.text, s.caps.encoding)
	list := []protocol.Diagnostic{} // empty where they were switched off
	for _, f := range found {
		list = append(list, diagnosticOf(f, l))
	}
	if s.caps.pulls {
		if s.pulled.outdated(file, doc.version, resultID(list)) {
			s.refreshPulls()
		}
		return
	}
	if s.board.checked(file, doc.version, list, s.caps.versions) {
		s.publish(file)
	}
	if _, open := s.docs.get(file); !open && s.board.left(file) { // closed meanwhile
		s.publish(file)
	}
}

// pulled are the answers that a client has, by path.
type pulled struct {
	mu      sync.Mutex
	answers map[string]pulledAnswer
}

type pulledAnswer struct {
	version int32
	id      string
}

func newPulled() *pulled { return &pulled{answers: map[string]pulledAnswer{}} }

func (p *pulled) note(file string, version int32, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[file] = pulledAnswer{version, id}
}

// outdated tells whether the client has another answer about this very text. About a new text it asks by itself.
func (p *pulled) outdated(file string, version int32, id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	a, ok := p.answers[file]
	if !ok || a.version != version || a.id == id {
		return false
	}
	delete(p.answers, file) // asked once
	return true
}

func (s *server) refreshPulls() {
	if !s.caps.refreshPulls {
		return
	}
	s.background(func(ctx context.Context) {
		if err := s.client.DiagnosticRefresh(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("findings not refreshed", zap.Error(err))
		}
	})
}

// resultID names an answer by what it holds.
func resultID(list []protocol.Diagnostic) string {
	raw, err := protocol.Marshal(list)
	if err != nil {
		raw = nil
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// diagnostic answers a pull: what is wrong with the text of an open page. What runs say of a page is pushed, to every client.
func (s *server) diagnostic(ctx context.Context, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	list, version, ready := s.pull(ctx, string(p.TextDocument.URI))
	id := resultID(list)
	if file, ok := filePath(string(p.TextDocument.URI)); ok {
		had := id
		if !ready {
			had = "" // the worker will find it outdated and have it pulled again
		}
		s.pulled.note(file, version, had)
	}
	if ready && p.PreviousResultID != nil && *p.PreviousResultID == id {
		r := &protocol.RelatedUnchangedDocumentDiagnosticReport{}
		r.Kind, r.ResultID = string(protocol.DocumentDiagnosticReportKindUnchanged), id
		return r, nil
	}
	r := &protocol.RelatedFullDocumentDiagnosticReport{}
	r.Kind, r.ResultID, r.Items = string(protocol.DocumentDiagnosticReportKindFull), &id, list
	return r, ctx.Err()
}

// pull gives the findings of a document; ready is false where the index is not there yet or the text moved on.
func (s *server) pull(ctx context.Context, uri string) (list []protocol.Diagnostic, version int32, ready bool) {
	list = []protocol.Diagnostic{}
	file, ok := filePath(uri)
	if !ok {
		return list, 0, true
	}
	doc, open := s.docs.get(file)
	w, rel, ok := s.folders.wikiOf(file)
	if !open || !ok || !s.config(w).Feature(featureDiagnostics) {
		return list, 0, true
	}
	x, err := s.freshWithin(ctx, w)
	if err != nil {
		return list, doc.version, false
	}
	found, ok := s.linted(ctx, x, w, rel, doc)
	if !ok {
		return list, doc.version, false
	}
	l := newLines(doc.text, s.caps.encoding)
	for _, f := range found {
		list = append(list, diagnosticOf(f, l))
	}
	return list, doc.version, true
}
