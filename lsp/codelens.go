package lsp

import (
	"context"
	"encoding/json"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// codeLens shows what can be decided: on the heads of files and hunks in a diff document, and above each region of an open page that a waiting
// proposal would change.
func (s *server) codeLens(_ context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	if run, ok := s.diffOf(string(p.TextDocument.URI)); ok {
		places, err := s.diffPlaces(run)
		if err != nil {
			return nil, err
		}
		for _, l := range places {
			out = append(out, lensesAt(protocol.Range{Start: protocol.Position{Line: uint32(l.line)}, End: protocol.Position{Line: uint32(l.line)}}, run, l.path, l.hunk)...)
		}
		return out, nil
	}
	path, ok := filePath(string(p.TextDocument.URI))
	if !ok {
		return out, nil
	}
	w, rel, ok := s.folders.wikiOf(path)
	if !ok || w.Layout == wiki.Links || !s.config(w).Feature("codeLens") {
		return out, nil
	}
	at := place{s: s, w: w, rel: rel}
	for _, rec := range s.records(w) {
		if rec.Waits() && at.concerns(rec) {
			out = append(out, s.pageLenses(w, rel, rec)...)
		}
	}
	return out, nil
}

// pageLenses are the lenses of one page for one proposal. A change without hunks, and one that cannot be merged, stands at the top.
func (s *server) pageLenses(w *wiki.Wiki, rel string, rec proposal.Record) []protocol.CodeLens {
	store, err := s.store(w)
	if err != nil {
		return nil
	}
	shown, err := store.Show(rec.Run)
	if err != nil {
		s.log.Warn("no lenses", zap.String("run", rec.Run), zap.Error(err))
		return nil
	}
	text, there, err := s.docs.textOf(pathIn(w, rel))
	if err != nil || !there {
		return nil
	}
	var out []protocol.CodeLens
	for _, f := range shown.Files {
		if f.Path != rel && f.From != rel || f.State != proposal.Waiting {
			continue
		}
		if len(f.Hunks) == 0 {
			out = append(out, lensesAt(protocol.Range{}, rec.Run, f.Path, "")...)
		}
		for _, h := range f.Hunks {
			if h.State == proposal.Waiting {
				out = append(out, lensesAt(s.regionOf(w, store, rec.Run, rel, h.ID, text), rec.Run, f.Path, h.ID)...)
			}
		}
	}
	return out
}

// regionOf is where a hunk would change the page as it is now; its top where that cannot be said.
func (s *server) regionOf(w *wiki.Wiki, store *proposal.Store, run, rel, hunk string, text []byte) protocol.Range {
	plan, err := store.Plan(run, proposal.Selection{Hunks: []string{hunk}}, s.current(w))
	if err != nil || len(plan.Files) == 0 || len(plan.Files[0].Edits) == 0 {
		return protocol.Range{}
	}
	edits := plan.Files[0].Edits
	l := newLines(text, s.caps.encoding)
	at := l.span(edits[0].Start, edits[len(edits)-1].End)
	at.End = at.Start // a lens stands on one line
	return at
}

// lensesAt are Accept, Reject and Why of one hunk, or of a file where hunk is "".
func lensesAt(at protocol.Range, run, path, hunk string) []protocol.CodeLens {
	arg := map[string]any{"run": run, "paths": []string{path}}
	if hunk != "" {
		arg = map[string]any{"run": run, "hunks": []string{hunk}}
	}
	raw, err := json.Marshal(arg)
	if err != nil {
		return nil
	}
	why, err := json.Marshal(whyArgs{run, path})
	if err != nil {
		return nil
	}
	lens := func(title, command string, arg []byte) protocol.CodeLens {
		return protocol.CodeLens{Range: at, Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{arg}}}
	}
	return []protocol.CodeLens{lens("Accept", "rigwiki.proposal.apply", raw), lens("Reject", "rigwiki.proposal.discard", raw), lens("Why", "rigwiki.proposal.why", why)}
}

// refreshLenses asks the client to ask again, where it can be asked.
func (s *server) refreshLenses() {
	if !s.caps.refreshLens {
		return
	}
	s.background(func(ctx context.Context) {
		if err := s.client.CodeLensRefresh(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("lenses not refreshed", zap.Error(err))
		}
	})
}
