package lsp

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// bom is the byte order mark, which editors take off when they open a file and put back when they save it.
var bom = []byte("\xef\xbb\xbf")

// document is one open document at one version. It does not change: a change makes a new one.
type document struct {
	uri     uri.URI // in the very spelling of the client
	path    string
	version int32
	text    []byte
	// eglot shows a page whose lines all end with \r\n without the \r, and puts them back when it saves. They are put back here at once, so that
	// the page does not look changed, and taken off what is sent.
	stripped bool
}

// documents are the open documents of scheme file, by clean path. Others are not ours.
type documents struct {
	mu     sync.Mutex
	open   map[string]*document
	names  map[string]int                                   // base name -> how many are open under it
	early  map[string]*protocol.DidChangeTextDocumentParams // the last change of a page that is not open, by path
	events map[chan<- *document]struct{}
}

func newDocuments() *documents {
	return &documents{open: map[string]*document{}, names: map[string]int{}, early: map[string]*protocol.DidChangeTextDocumentParams{}, events: map[chan<- *document]struct{}{}}
}

// get gives the open document of a file. One that is open under another name of its folder is found as well: a wiki that is reached through a link
// may have pages open by both names, and what is unsaved in them counts (case o-ls-08).
func (d *documents) get(path string) (*document, bool) {
	if doc, ok := d.exactly(path); ok {
		return doc, true
	}
	for _, doc := range d.namesakes(path) {
		if sameFolder(doc.path, path) {
			return doc, true
		}
	}
	return nil, false
}

// exactly gives the open document of a path as the client spelled it: its messages are about that one.
func (d *documents) exactly(path string) (*document, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc, ok := d.open[path]
	return doc, ok
}

// namesakes gives the open documents with the base name of a path.
func (d *documents) namesakes(path string) (out []*document) {
	name := filepath.Base(path)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[name] == 0 {
		return nil
	}
	for _, doc := range d.open {
		if filepath.Base(doc.path) == name {
			out = append(out, doc)
		}
	}
	return out
}

// sameFolder tells whether two files lie in one folder, whatever it is called.
func sameFolder(a, b string) bool {
	one, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(one, other)
}

// all gives the open documents in no order.
func (d *documents) all() []*document {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]*document, 0, len(d.open))
	for _, doc := range d.open {
		out = append(out, doc)
	}
	return out
}

// set puts a document at its path and tells who watches.
func (d *documents) set(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[doc.path] == nil {
		d.names[filepath.Base(doc.path)]++
	}
	d.open[doc.path] = doc
	d.tell(doc)
}

func (d *documents) drop(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.open[path]
	delete(d.open, path)
	if doc != nil {
		d.names[filepath.Base(path)]--
		d.tell(doc)
	}
}

// clear forgets all documents: the client is gone, and what it had unsaved.
func (d *documents) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.open)
	clear(d.names)
}

// tell sends without waiting: a watcher's channel of one slot only means "look again".
func (d *documents) tell(doc *document) {
	for ch := range d.events {
		select {
		case ch <- doc:
		default:
		}
	}
}

// watch gives a channel that has something whenever a document changed, was saved or closed, and the function that ends it.
func (d *documents) watch() (<-chan *document, func()) {
	ch := make(chan *document, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events[ch] = struct{}{}
	return ch, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.events, ch)
	}
}

// didOpen takes a document in. The URI is read from the raw message, since package uri normalizes it and an editor opens a second buffer for a
// spelling that is not its own.
func didOpen(ctx context.Context, s *server, raw jsonrpc2.RawMessage) (any, error) {
	p, err := decode[protocol.DidOpenTextDocumentParams](protocol.MethodTextDocumentDidOpen, raw)
	if err != nil {
		return nil, err
	}
	spelled := spelledURI(raw)
	path, ok := filePath(spelled)
	if !ok {
		return nil, nil
	}
	doc := &document{uri: uri.URI(spelled), path: path, version: p.TextDocument.Version, text: []byte(p.TextDocument.Text)}
	if s.caps.eglot() && bytes.IndexByte(doc.text, '\r') < 0 && savedDOS(path) {
		doc.stripped, doc.text = true, withCR(doc.text)
	}
	s.docs.set(doc)
	s.opened(doc)
	if change := s.docs.takeEarly(path); change != nil && change.TextDocument.Version == doc.version+1 {
		return nil, s.didChange(ctx, change)
	}
	return nil, nil
}

// maxEarly bounds the changes that wait for their page to be opened.
const maxEarly = 64

// keepEarly keeps a change of a page that is not open: Helix 25.01 edits a closed page for us by a didChange before its didOpen, whose text is that from
// before. It is applied then, where its version is the next one.
func (d *documents) keepEarly(path string, p *protocol.DidChangeTextDocumentParams) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.early) < maxEarly {
		d.early[path] = p // it keeps its whole message: there are few
	}
}

func (d *documents) takeEarly(path string) *protocol.DidChangeTextDocumentParams {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.early[path]
	delete(d.early, path)
	return p
}

// didChange applies the changes in order; each is about the text that the one before it made.
func (s *server) didChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	path, ok := filePath(string(p.TextDocument.URI))
	if !ok {
		return nil
	}
	old, ok := s.docs.exactly(path)
	if !ok {
		s.docs.keepEarly(path, p)
		return invalid("didChange of %s, which is not open", p.TextDocument.URI)
	}
	text := old.text
	typed := func(t string) []byte {
		if old.stripped {
			return withCR([]byte(t))
		}
		return []byte(t)
	}
	for _, c := range p.ContentChanges {
		switch c := c.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			text = typed(c.Text)
		case *protocol.TextDocumentContentChangePartial:
			l := newLines(text, s.caps.encoding)
			start, end := l.offset(c.Range.Start), l.offset(c.Range.End)
			if end < start {
				start, end = end, start
			}
			text = bytes.Join([][]byte{text[:start], typed(c.Text), text[end:]}, nil)
		}
	}
	doc := &document{uri: old.uri, path: path, version: p.TextDocument.Version, text: text, stripped: old.stripped}
	s.docs.set(doc)
	s.changed(doc)
	return nil
}

func (s *server) didSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	if path, ok := filePath(string(p.TextDocument.URI)); ok {
		if doc, ok := s.docs.exactly(path); ok {
			if doc.stripped && !savedDOS(path) { // saved with other line ends
				bare := *doc
				bare.stripped, bare.text = false, bytes.ReplaceAll(doc.text, []byte("\r\n"), []byte("\n"))
				doc = &bare
			}
			s.docs.set(doc)
			s.unsaved.mark(path, clean)
			s.lookAgain(doc, wasSaved)
			s.diskChanged(path)
		}
	}
	return nil
}

func (s *server) didClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	if path, ok := filePath(string(p.TextDocument.URI)); ok {
		doc, open := s.docs.exactly(path)
		s.docs.drop(path)
		if open {
			s.closed(doc)
		}
	}
	return nil
}

// allCRLF tells whether a text has lines and each ends with \r\n.
func allCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\r\n"))
	return n > 0 && n == bytes.Count(text, []byte("\n")) && n == bytes.Count(text, []byte("\r"))
}

// savedDOS tells whether each line of a file ends with \r\n.
func savedDOS(path string) bool {
	disk, err := os.ReadFile(path)
	return err == nil && allCRLF(disk)
}

func withCR(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// textOf gives a page's text now: the editor's buffer where it is open, else the disk. A byte order mark that the editor took off is put back,
// so that the page does not look changed. ok is false where there is no such page.
func (d *documents) textOf(path string) (text []byte, ok bool, err error) {
	doc, open := d.get(path)
	disk, err := os.ReadFile(path)
	switch {
	case open && err == nil && bytes.HasPrefix(disk, bom) && !bytes.HasPrefix(doc.text, bom):
		return append(bytes.Clone(bom), doc.text...), true, nil
	case open:
		return doc.text, true, nil
	case os.IsNotExist(err):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return disk, true, nil
}

// unsaved tells whether a document's text differs from the file on disk.
func (d *documents) unsaved(doc *document) bool {
	disk, err := os.ReadFile(doc.path)
	return err != nil || !bytes.Equal(bytes.TrimPrefix(disk, bom), bytes.TrimPrefix(doc.text, bom))
}

// spelled gives the URI under which a path is known to the client, and its version where it is open.
func (d *documents) spelled(path string) (uri.URI, *int32) {
	if doc, ok := d.get(path); ok {
		v := doc.version
		return uri.URI(strings.Clone(string(doc.uri))), &v
	}
	return pathURI(path), nil
}
