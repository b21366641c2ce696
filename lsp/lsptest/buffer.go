package lsptest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Buffer is an open document.
type Buffer struct {
	URI     string
	Version int
	Text    string
}

// URI is the URI of a path as most editors spell it.
func URI(path string) string {
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}

// Path is the path of a file URI.
func Path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return u.Path
}

// Open opens a file with its text on disk.
func (e *Editor) Open(path string) {
	e.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	e.OpenAs(URI(path), string(text), 1)
}

// OpenAs opens a document under a spelling, with a text and a version.
func (e *Editor) OpenAs(uri, text string, version int) {
	e.mu.Lock()
	e.buffers[Path(uri)] = &Buffer{uri, version, text}
	e.mu.Unlock()
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "markdown", "version": version, "text": text}})
}

// Change replaces a buffer's whole text, as if typed. A page that is not open fails the test.
func (e *Editor) Change(path, text string) {
	e.t.Helper()
	e.mu.Lock()
	b := e.buffers[path]
	if b == nil {
		e.mu.Unlock() // before the test ends: cleanup takes it
		e.t.Fatalf("change %s: it is not open", path)
		return
	}
	b.Version++
	b.Text = text
	uri, version := b.URI, b.Version
	e.mu.Unlock()
	e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
}

// Save writes a buffer to disk.
func (e *Editor) Save(path string) {
	e.t.Helper()
	b := e.Buffer(path)
	if err := os.WriteFile(path, []byte(b.Text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": b.URI}})
}

// Close closes a document.
func (e *Editor) Close(path string) {
	b := e.Buffer(path)
	e.mu.Lock()
	delete(e.buffers, path)
	e.mu.Unlock()
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": b.URI}})
}

// Buffer gives an open document.
func (e *Editor) Buffer(path string) Buffer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.buffers[path]; b != nil {
		return *b
	}
	return Buffer{}
}

type workspaceEdit struct {
	Changes           map[string][]textEdit      `json:"changes"`
	DocumentChanges   []documentChange           `json:"documentChanges"`
	ChangeAnnotations map[string]json.RawMessage `json:"changeAnnotations"`
}

type documentChange struct {
	Kind         string `json:"kind"`
	URI          string `json:"uri"`
	OldURI       string `json:"oldUri"`
	NewURI       string `json:"newUri"`
	AnnotationID string `json:"annotationId"`
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type textEdit struct {
	Range struct {
		Start position `json:"start"`
		End   position `json:"end"`
	} `json:"range"`
	NewText      string `json:"newText"`
	AnnotationID string `json:"annotationId"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// ApplyEdit applies the params of workspace/applyEdit: buffers change with a didChange before the answer, closed files on disk.
// It refuses what a careful editor refuses.
func (e *Editor) ApplyEdit(params json.RawMessage) error {
	var p struct {
		Edit workspaceEdit `json:"edit"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	if (p.Edit.Changes == nil) == (p.Edit.DocumentChanges == nil) {
		return fmt.Errorf("neither or both of changes and documentChanges")
	}
	for uri, edits := range p.Edit.Changes {
		if err := e.editText(uri, edits); err != nil {
			return err
		}
	}
	if err := p.Edit.checkAnnotations(); err != nil {
		return err
	}
	for _, c := range p.Edit.DocumentChanges {
		if err := e.change(c); err != nil {
			return err
		}
	}
	return nil
}

func (w workspaceEdit) checkAnnotations() error {
	for _, c := range w.DocumentChanges {
		ids := []string{c.AnnotationID}
		for _, t := range c.Edits {
			ids = append(ids, t.AnnotationID)
		}
		for _, id := range ids {
			if _, ok := w.ChangeAnnotations[id]; id != "" && !ok {
				return fmt.Errorf("annotation %q is not defined", id)
			}
		}
	}
	return nil
}

func (e *Editor) change(c documentChange) error {
	switch c.Kind {
	case "create":
		path := Path(c.URI)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return f.Close()
	case "rename":
		if _, err := os.Lstat(Path(c.NewURI)); err == nil {
			return fmt.Errorf("rename onto %s", c.NewURI)
		}
		if err := os.MkdirAll(filepath.Dir(Path(c.NewURI)), 0o755); err != nil {
			return err
		}
		return os.Rename(Path(c.OldURI), Path(c.NewURI))
	case "delete":
		return os.Remove(Path(c.URI))
	}
	b := e.Buffer(Path(c.TextDocument.URI))
	v := c.TextDocument.Version
	switch {
	case b.URI == "" && v != nil:
		return fmt.Errorf("version %d for %s, which is closed", *v, c.TextDocument.URI)
	case b.URI != "" && v == nil:
		return fmt.Errorf("no version for %s, which is open", c.TextDocument.URI)
	case b.URI != "" && *v != b.Version:
		return fmt.Errorf("%s is at version %d, not %d", c.TextDocument.URI, b.Version, *v)
	case b.URI != "" && b.URI != c.TextDocument.URI:
		return fmt.Errorf("%s is open as %s", c.TextDocument.URI, b.URI)
	}
	return e.editText(c.TextDocument.URI, c.Edits)
}

func (e *Editor) editText(uri string, edits []textEdit) error {
	path := Path(uri)
	b := e.Buffer(path)
	text := b.Text
	if b.URI == "" {
		disk, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = string(disk)
	}
	text, err := e.edited(text, edits)
	if err != nil {
		return fmt.Errorf("%s: %w", uri, err)
	}
	if b.URI == "" {
		return os.WriteFile(path, []byte(text), 0o644)
	}
	if text != b.Text {
		e.Change(path, text)
	}
	return nil
}

// edited applies edits to a text as the protocol says: all positions are of the text before.
func (e *Editor) edited(text string, edits []textEdit) (string, error) {
	type splice struct {
		start, end int
		text       string
	}
	var list []splice
	for _, t := range edits {
		s := splice{offset(text, t.Range.Start, e.encoding), offset(text, t.Range.End, e.encoding), t.NewText}
		if s.end < s.start {
			return "", fmt.Errorf("an edit ends before it starts")
		}
		list = append(list, s)
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].start < list[j].start })
	var out strings.Builder
	at := 0
	for _, s := range list {
		if s.start < at {
			return "", fmt.Errorf("edits overlap")
		}
		out.WriteString(text[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.WriteString(text[at:])
	return out.String(), nil
}

// Offset is the byte offset of a position in a position encoding; it clamps as LSP says.
func Offset(text string, line, character int, encoding string) int {
	return offset(text, position{line, character}, encoding)
}

// offset is the byte offset of a position.
func offset(text string, p position, encoding string) int {
	i := 0
	for line := 0; line < p.Line; line++ {
		n := strings.IndexAny(text[i:], "\r\n")
		if n < 0 {
			return len(text)
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
	}
	for u := 0; u < p.Character && i < len(text) && text[i] != '\r' && text[i] != '\n'; {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch encoding {
		case "utf-8":
			u += n
		case "utf-32":
			u++
		default:
			u += utf16.RuneLen(r)
		}
		i += n
	}
	return i
}
