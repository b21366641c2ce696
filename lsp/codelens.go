package lsp

import (
	"context"
	"encoding/json"
	"slices"

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
		text, shown, err := s.readDiff(run)
		if err != nil {
			return nil, err
		}
		if settled(shown.State) {
			return out, nil
		}
		if now, edited := s.editedDiff(string(p.TextDocument.URI), text); edited {
			return editedLenses(run, string(p.TextDocument.URI), diffLines(string(now), shown)), nil
		}
		for _, l := range diffLines(string(text), shown) {
			out = append(out, lensesAt(onLine(l.line), run, l.path, l.hunk)...)
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
	for _, rec := range s.recordsNow(w) {
		if rec.Waits() && at.concerns(rec) {
			out = append(out, s.pageLenses(w, rel, rec)...)
		}
	}
	return out, nil
}

// pageLenses are the lenses of one page for one proposal. A change without hunks, and one that cannot be merged, stands at the top.
func (s *server) pageLenses(w *wiki.Wiki, rel string, rec proposal.Record) []protocol.CodeLens {
	text, there, err := s.docs.textOf(pathIn(w, rel))
	if err != nil || !there {
		return nil
	}
	var out []protocol.CodeLens
	add := func(at protocol.Range, path, hunk string) {
		list := lensesAt(at, rec.Run, path, hunk)
		if raw, err := json.Marshal(nextArgs{rec.Run, path, hunk}); err == nil && s.caps.showDocument && len(list) > 0 {
			next := lensOf(at, "Next", "rigwiki.proposal.next", raw)
			list = slices.Insert(list, len(list)-1, next) // before Why
		}
		out = append(out, list...)
	}
	for _, f := range rec.Files {
		if (f.Path == rel || f.From == rel) && f.Hunks == 0 && f.Waits() {
			add(protocol.Range{}, f.Path, "")
		}
	}
	for _, h := range s.waitingHunks(w, rel, rec) {
		if r, _ := s.regionOf(w, rec.Run, rel, h.ID, text); !r.settled { // one that is in the page is about to be booked
			add(onLine(r.start), rel, h.ID)
		}
	}
	return out
}

// onLine is the empty range at a line's start: a lens stands on one line.
func onLine(n int) protocol.Range {
	at := protocol.Position{Line: uint32(n)}
	return protocol.Range{Start: at, End: at}
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
	return []protocol.CodeLens{lensOf(at, "Accept", "rigwiki.proposal.apply", raw), lensOf(at, "Reject", "rigwiki.proposal.discard", raw), lensOf(at, "Why", "rigwiki.proposal.why", why)}
}

func lensOf(at protocol.Range, title, command string, arg []byte) protocol.CodeLens {
	return protocol.CodeLens{Range: at, Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{arg}}}
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
