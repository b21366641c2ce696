package lsp

import (
	"bytes"
	"path"
	"strings"
	"time"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// frontFor writes the front matter of a page as the schema asks for it: the keys of every page, and those of its kind; a title where the schema
// names no key. A folder of plain markdown has none.
func (p spot) frontFor(rel, title, eol string) string {
	if p.w.Layout == wiki.Links {
		return ""
	}
	var b strings.Builder
	b.WriteString("---" + eol)
	keys := p.s.schemaOf(p.w).keys
	if len(keys) == 0 {
		keys = []schemaKey{{name: "title", on: "all"}}
	}
	kind := ""
	for _, k := range keys {
		if strings.EqualFold(k.name, "type") {
			kind = kindOf(k.choices(), rel)
		}
	}
	for _, k := range keys {
		if k.everywhere() || kind != "" && strings.Contains(k.on, kind) {
			b.WriteString(strings.TrimRight(k.name+": "+k.fill(kind, title), " ") + eol)
		}
	}
	b.WriteString("---" + eol)
	return b.String()
}

// kindOf is the type of the pages of a folder: "concept" of concepts/.
func kindOf(choices []string, rel string) string {
	folder := path.Base(path.Dir(rel))
	for _, c := range choices {
		for _, plural := range []string{c, c + "s", c + "es", strings.TrimSuffix(c, "y") + "ies"} {
			if strings.EqualFold(folder, plural) {
				return c
			}
		}
	}
	return ""
}

// fill gives a key's value for a new page, "" where only its writer can know it.
func (k schemaKey) fill(kind, title string) string {
	says := strings.ToLower(k.value)
	switch {
	case strings.EqualFold(k.name, "type"):
		return kind
	case strings.EqualFold(k.name, "title"):
		return yamlText(title)
	case strings.Contains(says, "yyyy") || strings.Contains(says, "date") && !strings.Contains(says, "update"):
		return time.Now().Format(time.DateOnly)
	case strings.Contains(says, "list") || strings.HasPrefix(says, "["):
		return "[]"
	}
	return ""
}

// alias plans the edit that gives a page another name. ok is false where its front matter is not written in a way that we can add to.
func (m *mender) alias(page index.Page, name string) (edit []proposal.Planned, ok bool) {
	text, ok := m.x.Source(page.Path)
	if !ok || page.Front.Format == index.TOML {
		return nil, false
	}
	eol, value, front := eolOf(text), yamlText(name), page.Front
	if front.Format == "" {
		return m.edit(page.Path, front.Start, front.Start, "---"+eol+"aliases: ["+value+"]"+eol+"---"+eol), true
	}
	f, has := front.Field("aliases")
	if !has {
		f, has = front.Field("alias")
	}
	if !has {
		closing := bytes.LastIndexByte(bytes.TrimRight(text[:front.End], "\r\n"), '\n') + 1
		return m.edit(page.Path, closing, closing, "aliases: ["+value+"]"+eol), true
	}
	raw := text[f.ValueStart:f.End]
	switch {
	case f.Map:
		return nil, false
	case bytes.HasPrefix(raw, []byte("[")):
		end := bytes.LastIndexByte(raw, ']')
		if end < 0 {
			return nil, false
		}
		if len(f.Values) > 0 {
			value = ", " + value
		}
		return m.edit(page.Path, f.ValueStart+end, f.ValueStart+end, value), true
	case f.List:
		last := text[bytes.LastIndexByte(text[:f.End], '\n')+1 : f.End]
		dash := bytes.IndexByte(last, '-')
		if dash < 0 {
			return nil, false
		}
		return m.edit(page.Path, f.End, f.End, eol+string(last[:dash])+"- "+value), true
	case len(bytes.TrimSpace(raw)) == 0:
		return m.edit(page.Path, f.End, f.End, " ["+value+"]"), true
	}
	return m.edit(page.Path, f.ValueStart, f.End, "["+strings.TrimSpace(string(raw))+", "+value+"]"), true
}

// eolOf is how a text ends its lines.
func eolOf(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
