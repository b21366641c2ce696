package lsp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// style is how an edit asks.
type style int

const (
	bare      style = iota // no annotations: the client has none, or its handling of them is not to be trusted
	annotated              // groups that say what is what; nothing is asked again, since the yes was given
	gated                  // the client shows its preview: a gate asks for it, flagged groups start unticked
)

// gateID is the annotation of the gate: one zero-width edit whose annotation alone needs confirmation, so that the pane opens with the real
// edits ticked. A client that is asked about each group starts with all of them unticked and shows no difference at all.
const gateID protocol.ChangeAnnotationIdentifier = "gate"

// editOf builds the workspace edit of a plan's files, in their order: renames, creates, edits, deletes, where deletes that make room come first.
// title names the run. It gives an error rather than an edit that a client could misread.
func (s *server) editOf(w *wiki.Wiki, title string, files []proposal.Planned, how style) (*protocol.ApplyWorkspaceEditParams, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("nothing to apply")
	}
	b := &editBuilder{s: s, w: w, how: how, groups: map[protocol.ChangeAnnotationIdentifier]*group{}}
	for _, f := range files {
		if err := b.add(f); err != nil {
			return nil, err
		}
	}
	p := &protocol.ApplyWorkspaceEditParams{Label: &title}
	if s.caps.metadata {
		p.Metadata = &protocol.WorkspaceEditMetadata{IsRefactoring: ptr(true)} // VS Code saves the files of a refactoring
	}
	if !s.caps.documentChanges {
		p.Edit.Changes = b.plainChanges()
		return p, nil
	}
	if how == gated {
		b.gate(title)
	}
	p.Edit.DocumentChanges = b.changes
	if how != bare {
		p.Edit.ChangeAnnotations = b.annotations()
	}
	return p, checkEdit(&p.Edit)
}

type editBuilder struct {
	s       *server
	w       *wiki.Wiki
	how     style
	changes []protocol.DocumentChange
	groups  map[protocol.ChangeAnnotationIdentifier]*group
}

// group is one change annotation: pages that are ticked together.
type group struct {
	label   string
	pages   []string
	reasons []string
	confirm bool
}

func (b *editBuilder) add(f proposal.Planned) error {
	path, err := insideWiki(b.w, f.Path)
	if err != nil {
		return err
	}
	id := b.groupOf(f)
	target, version := b.s.docs.spelled(path)
	switch f.Kind {
	case proposal.Rename:
		from, err := insideWiki(b.w, f.From)
		if err != nil {
			return err
		}
		old, _ := b.s.docs.spelled(from)
		op := &protocol.RenameFile{Kind: "rename", OldURI: old, NewURI: target}
		op.AnnotationID = id
		b.changes = append(b.changes, op)
		version = nil // the client has no document of the new name yet
		doc, _ := b.s.docs.get(from)
		b.edit(target, version, textEdits(f, doc, b.s.caps), id)
	case proposal.Create:
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s has come meanwhile", f.Path)
		}
		// No options: Neovim makes no file with ignoreIfExists, and VS Code truncates with overwrite.
		op := &protocol.CreateFile{Kind: "create", URI: target}
		op.AnnotationID = id
		b.changes = append(b.changes, op)
		b.edit(target, version, b.newPage(f), id)
	case proposal.Delete:
		op := &protocol.DeleteFile{Kind: "delete", URI: target}
		op.AnnotationID = id
		b.changes = append(b.changes, op)
	default:
		doc, _ := b.s.docs.get(path)
		b.edit(target, version, textEdits(f, doc, b.s.caps), id)
	}
	return nil
}

// newPage is the text of a created page. Neovim makes "x\n\n" of "x\n" inserted at 0:0 of an empty buffer; a range to 1:0 replaces its one
// empty line, and means the same elsewhere.
func (b *editBuilder) newPage(f proposal.Planned) []protocol.TextEdit {
	if len(f.After) == 0 {
		return nil
	}
	e := protocol.TextEdit{NewText: string(f.After)}
	if b.s.caps.neovim() && bytes.HasSuffix(f.After, []byte("\n")) {
		e.Range.End.Line = 1
	}
	return []protocol.TextEdit{e}
}

func (b *editBuilder) edit(target uri.URI, version *int32, edits []protocol.TextEdit, id protocol.ChangeAnnotationIdentifier) {
	if len(edits) == 0 {
		return
	}
	e := &protocol.TextDocumentEdit{TextDocument: protocol.OptionalVersionedTextDocumentIdentifier{Version: version}}
	e.TextDocument.URI = target
	for _, t := range edits {
		if id == "" {
			e.Edits = append(e.Edits, &t)
		} else {
			e.Edits = append(e.Edits, &protocol.AnnotatedTextEdit{TextEdit: t, AnnotationID: id})
		}
	}
	b.changes = append(b.changes, e)
}

// textEdits turns the byte edits of a planned page into LSP edits on the text as the client has it: editors take a byte order mark off when they
// open a page, and count from after it.
func textEdits(f proposal.Planned, doc *document, caps capabilities) []protocol.TextEdit {
	text, shift := f.Before, 0
	if bytes.HasPrefix(text, bom) && (doc == nil || !bytes.HasPrefix(doc.text, bom)) {
		text, shift = text[len(bom):], len(bom)
	}
	l := newLines(text, caps.encoding)
	out, last := make([]protocol.TextEdit, 0, len(f.Edits)), 0
	for _, e := range f.Edits {
		start, end, added := max(0, e.Start-shift), max(0, e.End-shift), e.New
		if e.Start < shift {
			added = bytes.TrimPrefix(added, bom)
		}
		start, added = trimEdit(text, start, end, added)
		if caps.neovim() && start == end && start == len(text) {
			start, added = appendToLine(text[last:], added)
			start += last
			end = start
		}
		if caps.eglot() && allCRLF(f.Before) { // it puts them back itself
			added = bytes.ReplaceAll(added, []byte("\r\n"), []byte("\n"))
		}
		if start < end || len(added) > 0 {
			out = append(out, protocol.TextEdit{Range: l.span(start, end), NewText: string(added)})
		}
		last = end
	}
	return out
}

// groupOf books a page in its group and gives the group's id, "" where the edit is not annotated.
func (b *editBuilder) groupOf(f proposal.Planned) protocol.ChangeAnnotationIdentifier {
	if b.how == bare || !b.s.caps.documentChanges {
		return ""
	}
	id, label, confirm := protocol.ChangeAnnotationIdentifier("updated"), "Updated pages", false
	var reasons []string
	switch {
	case len(f.Flags) > 0:
		var rules []string
		for _, fl := range f.Flags {
			rules, reasons = append(rules, fl.Rule), append(reasons, fl.Reason)
		}
		slices.Sort(rules)
		all := strings.Join(slices.Compact(rules), ", ")
		id, label, confirm = protocol.ChangeAnnotationIdentifier("flagged "+all), "Flagged: "+all, b.how == gated
	case f.Shared:
		id, label = "shared", "Index and log"
	case f.Kind == proposal.Create:
		id, label = "new", "New pages"
	}
	g := b.groups[id]
	if g == nil {
		g = &group{label: label, confirm: confirm}
		b.groups[id] = g
	}
	g.pages = append(g.pages, f.Path)
	for _, r := range reasons {
		if !slices.Contains(g.reasons, r) {
			g.reasons = append(g.reasons, r)
		}
	}
	return id
}

func (b *editBuilder) annotations() map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation {
	out := map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	for id, g := range b.groups {
		about := someOf(g.pages, 5)
		if len(g.reasons) > 0 {
			about += ": " + someOf(g.reasons, 3)
		}
		a := protocol.ChangeAnnotation{Label: g.label, Description: &about}
		if g.confirm {
			a.NeedsConfirmation = ptr(true)
		}
		out[id] = a
	}
	return out
}

// gate puts the gate in front of the first page's edits. Where no page's text is edited, the operations themselves ask.
func (b *editBuilder) gate(title string) {
	for _, c := range b.changes {
		if e, ok := c.(*protocol.TextDocumentEdit); ok {
			e.Edits = slices.Insert(e.Edits, 0, protocol.TextDocumentEditElement(&protocol.AnnotatedTextEdit{AnnotationID: gateID}))
			b.groups[gateID] = &group{label: "Review " + title, pages: []string{"untick what you do not want, then apply"}, confirm: true}
			return
		}
	}
	for _, g := range b.groups {
		g.confirm = true
	}
}

// plainChanges is the edit for a client that knows only text edits.
func (b *editBuilder) plainChanges() map[uri.URI][]protocol.TextEdit {
	out := map[uri.URI][]protocol.TextEdit{}
	for _, c := range b.changes {
		if e, ok := c.(*protocol.TextDocumentEdit); ok {
			for _, t := range e.Edits {
				if t, ok := t.(*protocol.TextEdit); ok {
					out[e.TextDocument.URI] = append(out[e.TextDocument.URI], *t)
				}
			}
		}
	}
	return out
}

// insideWiki gives the path of a page as the client knows it. It is the last look before an editor is told to write: what leaves the wiki by
// dots or links, lies in a hidden folder or is the human's is an error, whatever was judged before.
func insideWiki(w *wiki.Wiki, rel string) (string, error) {
	local := filepath.FromSlash(rel)
	if !filepath.IsLocal(local) || filepath.Clean(local) != local {
		return "", fmt.Errorf("%q does not stay in the wiki", rel)
	}
	for _, part := range strings.Split(rel, "/") {
		if strings.HasPrefix(part, ".") {
			return "", fmt.Errorf("%q is hidden", rel)
		}
	}
	for _, h := range w.Human {
		if _, ok := below(filepath.FromSlash(h), local); ok {
			return "", fmt.Errorf("%q is the human's", rel)
		}
	}
	path := pathIn(w, rel)
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if _, ok := below(w.Real, real); !ok {
				return "", fmt.Errorf("%q leads out of the wiki", rel)
			}
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%q is nowhere", rel)
		}
	}
}

// someOf names at most n of a list.
func someOf(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
}
