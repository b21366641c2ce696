package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// kindRoot is the root of our kinds: below refactor, so that VS Code's light bulb shows them.
const kindRoot = "refactor.rewrite.rigwiki."

// place is where a code action is asked for.
type place struct {
	s    *server
	w    *wiki.Wiki
	rel  string
	uri  string // in the client's spelling
	text []byte // of the document where it is open
	rng  protocol.Range
	recs []proposal.Record // of the wiki, newest first
	only []protocol.CodeActionKind
}

// item is one offer: a command with its argument. Nothing is started by offering. One without command is an edit alone, whose argument is the
// findings ([]protocol.Diagnostic) that it takes away.
type item struct {
	title   string
	command string
	arg     any
	llm     bool
	edit    *protocol.WorkspaceEdit // applied by the client before the command; nil: none
}

// entry is one line of the menu: may I offer, and what.
type entry struct {
	kind  string
	offer func(place) []item
}

// menu is what we offer, in the order in which the user sees it.
func menu() []entry {
	return []entry{
		{"quickfix", offerConflict},
		{kindFix, offerFixes},
		{kindRoot + "ingest", offerIngest},
		{kindRoot + "query", offerQuery},
		{kindRoot + "fetch", offerFetch},
		{kindRoot + "review", offerReview},
		{kindRoot + "apply", offerApply},
		{kindRoot + "discard", offerDiscard},
		{kindRoot + "undo", offerUndo},
		{kindRoot + "cancel", offerCancel},
		{kindRoot + "lint", offerLint},
	}
}

func (s *server) codeActionOffer() protocol.CodeActionProvider {
	if !s.caps.literals {
		return protocol.Boolean(true)
	}
	var kinds []protocol.CodeActionKind
	for _, e := range menu() {
		if kind := protocol.CodeActionKind(e.kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	for _, t := range taskItems() {
		kinds = append(kinds, protocol.CodeActionKind(t.kind))
	}
	kinds = append(kinds, kindRoot+"file") // in an answer
	return &protocol.CodeActionOptions{CodeActionKinds: kinds}
}

// codeAction offers what can be done at a place. It costs a stat.
func (s *server) codeAction(_ context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	out := []protocol.CommandOrCodeAction{}
	for _, o := range s.offersAt(p) {
		if !wanted(p.Context.Only, o.kind) {
			continue
		}
		kind := protocol.CodeActionKind(o.kind)
		if mends, ok := o.arg.([]protocol.Diagnostic); ok && o.command == "" {
			out = append(out, &protocol.CodeAction{Title: o.title, Kind: &kind, Edit: o.edit, Diagnostics: mends})
			continue
		}
		raw, err := json.Marshal(o.arg)
		if err != nil {
			return nil, err
		}
		c := protocol.Command{Title: o.title, Command: o.command, Arguments: []protocol.LSPAny{raw}}
		if !s.caps.literals {
			out = append(out, &c)
			continue
		}
		a := &protocol.CodeAction{Title: o.title, Kind: &kind, Command: c, Edit: o.edit}
		if o.llm && s.caps.llmTag {
			a.Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
		}
		out = append(out, a)
	}
	return out, nil
}

// resolveCodeAction answers an action as it is: ours are whole when they are offered. Neovim 0.12 asks about any that lacks an edit or a command and
// takes what comes back (trap T34).
func resolveCodeAction(_ context.Context, _ *server, raw jsonrpc2.RawMessage) (any, error) {
	return raw, nil
}

type offer struct {
	item
	kind string
}

func (s *server) offersAt(p *protocol.CodeActionParams) []offer {
	if run, ok := s.diffOf(string(p.TextDocument.URI)); ok {
		return s.diffOffers(run, string(p.TextDocument.URI), p.Range)
	}
	if run, ok := s.answerOf(string(p.TextDocument.URI)); ok {
		return s.answerOffers(run)
	}
	path, ok := filePath(string(p.TextDocument.URI))
	if !ok {
		return nil
	}
	w, rel, ok := s.folders.wikiOf(path)
	if !ok {
		return nil
	}
	spelled, _ := s.docs.spelled(path)
	at := place{s: s, w: w, rel: rel, uri: string(spelled), rng: p.Range, only: p.Context.Only}
	if w.Layout != wiki.Links {
		at.recs = s.records(w)
	}
	if doc, ok := s.docs.get(path); ok {
		at.text = doc.text
	}
	out := s.taskOffers(path, string(spelled))
	for _, e := range menu() {
		if w.Layout == wiki.Links && e.kind != kindFix {
			continue // a folder of plain markdown has no agent
		}
		for _, i := range e.offer(at) {
			out = append(out, offer{i, e.kind})
		}
	}
	return out
}

// wanted honours context.only: a kind matches what it is or lies below.
func wanted(only []protocol.CodeActionKind, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || string(o) == kind || strings.HasPrefix(kind, string(o)+".")
	})
}

func (p place) isSource() bool {
	_, in := below("raw", p.rel)
	return in && p.rel != "raw" && slices.Contains(p.w.Human, "raw")
}

func offerIngest(p place) []item {
	if !p.isSource() {
		return nil
	}
	return []item{{"Ingest into wiki", "rigwiki.ingest", map[string]string{"uri": p.uri}, true, nil}}
}

// maxQuestion bounds what a selection gives as a question.
const maxQuestion = 500

func offerQuery(p place) []item {
	q := p.question()
	if q == "" {
		return nil
	}
	return []item{{"Ask the wiki: " + firstRunes(q, 60), "rigwiki.query", map[string]string{"question": q, "uri": p.uri}, true, nil}}
}

// question is the selected text, else the heading or callout under the cursor that asks something.
func (p place) question() string {
	if p.text == nil {
		return ""
	}
	l := newLines(p.text, p.s.caps.encoding)
	if start, end := l.offset(p.rng.Start), l.offset(p.rng.End); start < end {
		return firstRunes(strings.Join(strings.Fields(string(p.text[start:end])), " "), maxQuestion)
	}
	return p.asked("callouts")
}

// asked is the question of the line under the cursor: a callout or a heading that asks, or with "any" each line of text.
func (p place) asked(which string) string {
	l := newLines(p.text, p.s.caps.encoding)
	start := l.offset(protocol.Position{Line: p.rng.Start.Line})
	line, _, _ := bytes.Cut(p.text[start:], []byte("\n"))
	text := strings.TrimSpace(string(line))
	if which == "off" {
		return ""
	}
	if q := calloutRE().FindStringSubmatch(text); q != nil {
		return firstRunes(q[1], maxQuestion)
	}
	if strings.HasPrefix(text, "#") && strings.HasSuffix(text, "?") {
		return firstRunes(strings.TrimSpace(strings.TrimLeft(text, "#")), maxQuestion)
	}
	if which == "any" && start >= index.ParsePage(p.text).Front.End {
		return firstRunes(text, maxQuestion)
	}
	return ""
}

// calloutRE reads the title of a question callout: its kind is in any case, and a fold mark is no part of it (help.obsidian.md/callouts).
var calloutRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^>\s*\[!question\][+-]?\s*(.*)$`) })

func offerLint(p place) []item {
	if p.isSource() || !strings.HasSuffix(p.rel, ".md") {
		return nil
	}
	return []item{{"Lint with agent", "rigwiki.lint", map[string]string{"uri": p.uri}, true, nil}}
}

// maxOffered bounds how many proposals a menu shows.
const maxOffered = 3

// waits are the proposals that wait: those about this page first.
func (p place) waits() []proposal.Record {
	var own, others []proposal.Record
	for _, r := range p.recs {
		switch {
		case !r.Waits():
		case p.concerns(r):
			own = append(own, r)
		default:
			others = append(others, r)
		}
	}
	own = append(own, others...)
	return own[:min(len(own), maxOffered)]
}

// concerns tells whether a run is about this page.
func (p place) concerns(r proposal.Record) bool {
	return slices.Contains(r.Sources, p.rel) || slices.ContainsFunc(r.Files, func(f proposal.File) bool { return f.Path == p.rel || f.From == p.rel })
}

func offerReview(p place) []item {
	var out []item
	for _, r := range p.waits() {
		out = append(out, item{"Review proposal of " + r.Title, "rigwiki.proposal.review", runArgs{r.Run}, false, nil})
	}
	return out
}

// offerApply offers the whole, and what is flagged by name: that is the explicit yes.
func offerApply(p place) []item {
	var out []item
	for _, r := range p.waits() {
		plain := false
		var flagged []item
		for _, f := range r.Files {
			switch {
			case !f.Waits():
			case len(f.Flags) == 0:
				plain = true
			case len(flagged) < maxOffered:
				flagged = append(flagged, item{"Apply anyway: " + f.Path + " (" + f.Flags[0].Rule + ")", "rigwiki.proposal.apply",
					map[string]any{"run": r.Run, "paths": []string{f.Path}}, false, nil})
			}
		}
		if plain {
			out = append(out, item{"Apply proposal of " + r.Title, "rigwiki.proposal.apply", runArgs{r.Run}, false, p.s.readyEdit(p.w, r.Run)})
		}
		out = append(out, flagged...)
	}
	return out
}

func offerDiscard(p place) []item {
	var out []item
	for _, r := range p.waits() {
		out = append(out, item{"Discard proposal of " + r.Title, "rigwiki.proposal.discard", runArgs{r.Run}, false, nil})
	}
	return out
}

// offerUndo offers the newest run that was applied and is about this page, else the newest one.
func offerUndo(p place) []item {
	var best *proposal.Record
	for i, r := range p.recs {
		if (r.State != proposal.Applied && r.State != proposal.Partly) || !r.Undone.IsZero() {
			continue
		}
		if p.concerns(r) {
			best = &p.recs[i]
			break
		}
		if best == nil {
			best = &p.recs[i]
		}
	}
	if best == nil {
		return nil
	}
	return []item{{"Undo " + best.Title, "rigwiki.run.undo", runArgs{best.Run}, false, nil}}
}

// offerCancel offers the end of what is under way: eglot and Helix show a progress, but have no way to cancel it.
func offerCancel(p place) (out []item) {
	for _, l := range p.s.runs.of(p.w) {
		out = append(out, item{"Cancel " + l.title, "rigwiki.cancel", runArgs{l.run}, false, nil})
	}
	return out
}

// firstRunes cuts a text for a title.
func firstRunes(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}
