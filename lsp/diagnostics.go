package lsp

import (
	"slices"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"go.uber.org/zap"
)

const (
	severityError   = protocol.DiagnosticSeverityError
	severityWarning = protocol.DiagnosticSeverityWarning
	severityHint    = protocol.DiagnosticSeverityHint
)

// board holds what is shown at each file: what the last run said of it, and what is wrong with its text.
type board struct {
	mu    sync.Mutex
	files map[string]map[string][]protocol.Diagnostic // path -> source of the findings ("run", "lint", "links", "conflict")
	sent  map[string]published                        // path -> what was published of it last
	about map[string]int32                            // path -> the version of the text that its "links" are of, while it is open

	sending sync.Mutex // one at a time, so that older findings never follow newer ones; the client's stream takes one at a time anyway
}

// published is under which URI findings went out, and about which version of the text; nil: of none.
type published struct {
	uri     uri.URI
	version *int32
}

func newBoard() *board {
	return &board{files: map[string]map[string][]protocol.Diagnostic{}, sent: map[string]published{}, about: map[string]int32{}}
}

// checked replaces the findings about an open page's text and tells whether they are to be published: also those that are the same where the client may have
// dropped the last ones, since they were about an older text than its own (Helix does).
func (b *board) checked(path string, version int32, list []protocol.Diagnostic, versions bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed := b.replace(path, "links", list)
	b.about[path] = version
	last, ok := b.sent[path]
	return changed || versions && ok && last.version != nil && *last.version != version
}

// left takes back the findings about the text of a page that was closed, and tells whether there were any.
func (b *board) left(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.about, path)
	return b.replace(path, "links", nil)
}

// put replaces the findings of one kind at a path and tells whether that changed anything.
func (b *board) put(path, kind string, list []protocol.Diagnostic) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.replace(path, kind, list)
}

// replace is put for who holds mu.
func (b *board) replace(path, kind string, list []protocol.Diagnostic) bool {
	old := b.files[path][kind]
	if len(old) == 0 && len(list) == 0 {
		return false
	}
	if b.files[path] == nil {
		b.files[path] = map[string][]protocol.Diagnostic{}
	}
	b.files[path][kind] = list
	return !slices.EqualFunc(old, list, func(a, b protocol.Diagnostic) bool {
		return a.Range == b.Range && a.Code == b.Code && a.Message == b.Message
	})
}

// all gives the findings of a path, never nil. The caller holds mu.
func (b *board) all(path string) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	for _, kind := range []string{"conflict", "run", "lint", "links"} {
		out = append(out, b.files[path][kind]...)
	}
	return out
}

// paths gives the paths that have findings of a kind.
func (b *board) paths(kind string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for p, kinds := range b.files {
		if len(kinds[kind]) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// decided brings everything that depends on what a run has come to up to date.
func (s *server) decided(w *wiki.Wiki, rec proposal.Record) {
	s.shelve(w, rec)
	s.conflictsSettled(w, rec)
	s.showOutcome(w, rec)
	s.refreshLenses()
	s.showHeld(w, rec)
}

// showOutcome puts what the last run refused and how it failed at the source that was ingested, and what waits, of any run, at its pages.
// What was shown of the wiki before goes.
func (s *server) showOutcome(w *wiki.Wiki, last proposal.Record) {
	found := findings{}
	found.refused(last)
	found.waiting(last)
	s.shelf.mu.Lock()
	if sh := s.shelf.wikis[w.ID]; sh != nil {
		for _, r := range sh.recs {
			if r.Run != last.Run {
				found.waiting(r)
			}
		}
	}
	s.shelf.mu.Unlock()
	s.show(w, "run", found)
	if last.Op == "lint" && last.State == proposal.Done {
		said := findings{}
		said.semantic(last)
		s.show(w, "lint", said)
	}
}

// show publishes the findings of one kind in a wiki; what was shown of that kind before goes.
func (s *server) show(w *wiki.Wiki, kind string, found findings) {
	now := map[string][]protocol.Diagnostic{}
	for rel, list := range found {
		now[pathIn(w, rel)] = list
	}
	for _, path := range s.board.paths(kind) {
		if _, ok := relIn(w, path); ok && now[path] == nil {
			now[path] = nil
		}
	}
	for path, list := range now {
		if s.board.put(path, kind, list) {
			s.publish(path)
		}
	}
}

// findings are what runs say of the files of a wiki, by rel path.
type findings map[string][]protocol.Diagnostic

func (f findings) add(rel, code, text string, severity protocol.DiagnosticSeverity) {
	f[rel] = append(f[rel], finding(protocol.Range{}, code, text, severity))
}

// refused says at the sources what policy dropped, and why a run failed.
func (f findings) refused(rec proposal.Record) {
	for _, src := range rec.Sources {
		for _, r := range rec.Refused {
			f.add(src, r.Rule, "refused: "+r.Path+": "+r.Reason, severityWarning)
		}
		if rec.State == proposal.Failed {
			f.add(src, "run-failed", rec.Title+": "+sentenceWithHint(rec), severityError)
		}
		if aboutTask(rec.Op) {
			f.taskEnd(src, rec)
		}
	}
}

// taskEnd says at a task file what its last run came to: the agent's marker lines, and why it is not done.
func (f findings) taskEnd(src string, rec proposal.Record) {
	said := false
	for _, m := range rec.Markers {
		severity := severityHint
		name, text, _ := strings.Cut(m, ": ")
		if name == "NOT READY" || strings.HasPrefix(text, "REQUEST CHANGES") {
			severity = severityWarning
		}
		f.add(src, strings.ReplaceAll(strings.ToLower(name), " ", "-"), m, severity)
		said = said || name == "NOT READY"
	}
	if rec.State == proposal.Incomplete && !said {
		f.add(src, "run-incomplete", rec.Title+": "+sentenceWithHint(rec), severityWarning)
	}
}

// semantic says at its line what an agent's pass found. It is an opinion, and was checked for naming a page and a line that are there.
func (f findings) semantic(rec proposal.Record) {
	for _, found := range rec.Findings {
		severity := severityHint
		if found.Severity == string(lint.Warning) {
			severity = severityWarning
		}
		line := uint32(max(found.Line, 1) - 1)
		at := protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line + 1}}
		f[found.Path] = append(f[found.Path], finding(at, found.Code, rec.Agent+": "+found.Message, severity))
	}
}

// waiting says at the pages what waits, with its flags; of a page that is not there yet, at the sources.
func (f findings) waiting(rec proposal.Record) {
	if !rec.Waits() {
		return
	}
	created := map[string]bool{}
	for _, file := range rec.Files {
		created[file.Path] = file.Kind == proposal.Create || file.Kind == proposal.Rename
	}
	for _, found := range rec.Findings {
		at := []string{found.Path}
		if created[found.Path] {
			at = rec.Sources
		}
		for _, rel := range at {
			if found.Severity != string(lint.Hint) {
				f.add(rel, found.Code, "proposed: "+found.Path+": "+found.Message, severityWarning)
			}
		}
	}
	for _, file := range rec.Files {
		if !file.Waits() {
			continue
		}
		at := []string{file.Path}
		switch file.Kind {
		case proposal.Create:
			at = rec.Sources
		case proposal.Rename:
			at = []string{file.From}
		}
		for _, rel := range at {
			for _, flag := range file.Flags {
				f.add(rel, flag.Rule, "flagged: "+file.Path+": "+flag.Reason, severityWarning)
			}
			if len(file.Flags) == 0 && file.Kind != proposal.Create {
				f.add(rel, "proposal-waits", rec.Title+" proposes a change of this page", severityHint)
			}
		}
	}
}

func finding(rng protocol.Range, code, text string, severity protocol.DiagnosticSeverity) protocol.Diagnostic {
	return protocol.Diagnostic{Range: rng, Severity: severity, Code: protocol.String(code), Source: protocol.NewOptional("rig wiki"), Message: protocol.String(text)}
}

// publish sends the findings of a path under the URI that the client knows it by, with the version of the text that they are about.
func (s *server) publish(path string) {
	s.board.sending.Lock()
	defer s.board.sending.Unlock()
	target, version := s.docs.spelled(path)
	s.board.mu.Lock()
	if was, ok := s.board.sent[path]; ok && was.uri != target && version == nil {
		target = was.uri // closed meanwhile: what was published stays under that name
	}
	if about, ok := s.board.about[path]; ok && version != nil {
		version = &about // the text may have moved on since: then it is due again
	}
	s.board.sent[path] = published{target, version}
	p := &protocol.PublishDiagnosticsParams{URI: target, Diagnostics: s.board.all(path)}
	s.board.mu.Unlock()
	if version != nil {
		p.Version = protocol.NewOptional(*version)
	}
	if err := s.client.PublishDiagnostics(s.ctx, p); err != nil && s.ctx.Err() == nil {
		s.log.Debug("findings not published", zap.String("path", path), zap.Error(err))
	}
}
