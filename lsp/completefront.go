package lsp

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// sharedKeys are the keys that every wiki reader knows, offered besides the schema's.
func sharedKeys() []schemaKey {
	return []schemaKey{{name: "title", value: "the page's title"}, {name: "aliases", value: "list of other names"}, {name: "tags", value: "list of tags"}}
}

// completeFront completes keys of front matter, the values that the schema names, and slugs in sources.
func completeFront(c typing) *protocol.CompletionList {
	if !c.inFront() {
		return nil
	}
	before := string(c.before)
	key, value, isValue := strings.Cut(before, ":")
	if !isValue && key != strings.TrimLeft(key, " \t-") {
		key, value, isValue = c.keyAbove(), strings.TrimLeft(before, " \t-"), true // an item of a list
	}
	if !isValue {
		return c.keys(key)
	}
	typed := value[strings.LastIndexAny(value, "[,\"' ")+1:]
	out := &items{rng: c.lines.span(c.off-len(typed), c.off)}
	if strings.EqualFold(strings.TrimSpace(key), "sources") {
		folder := path.Join(c.w.Pages, "sources")
		for _, n := range out.bound(c.x.Names(folder+"/"+typed, maxItems+1)) {
			if isPage(n.Path) && path.Dir(n.Path) == folder {
				out.add(stemOf(n.Path), stemOf(n.Path), n.Title, stemOf(n.Path)+" "+n.Title, protocol.CompletionItemKindReference)
			}
		}
		return out.done()
	}
	for _, k := range c.s.schemaOf(c.w).keys {
		if strings.EqualFold(k.name, strings.TrimSpace(key)) {
			for _, v := range k.choices() {
				out.add(v, v, "", v, protocol.CompletionItemKindValue)
			}
		}
	}
	return out.done()
}

// keys offers the keys that the page has not yet.
func (c typing) keys(typed string) *protocol.CompletionList {
	out := &items{rng: c.lines.span(c.lineStart, c.off), close: ": "}
	if bytes.HasPrefix(bytes.TrimLeft(c.after, " "), []byte(":")) {
		out.close = ""
	}
	all := c.s.schemaOf(c.w).keys
	for _, k := range sharedKeys() {
		if !slices.ContainsFunc(all, func(o schemaKey) bool { return o.name == k.name }) {
			all = append(all, k)
		}
	}
	for _, k := range all {
		if f, has := c.page.Front.Field(k.name); !has || f.Start == c.lineStart {
			out.add(k.name, k.name, k.value, k.name, protocol.CompletionItemKindProperty)
		}
	}
	return out.done()
}

// inFront tells whether the cursor is in front matter, one that is being begun included.
func (c typing) inFront() bool {
	if f := c.page.Front; f.End > f.Start {
		return c.off > f.Start+3 && c.off < f.End
	}
	text := bytes.TrimPrefix(c.text, bom)
	skipped := len(c.text) - len(text)
	if !bytes.HasPrefix(text, []byte("---\n")) && !bytes.HasPrefix(text, []byte("---\r\n")) || c.lineStart == skipped {
		return false
	}
	for line := range bytes.Lines(c.text[skipped+4 : max(skipped+4, c.lineStart)]) {
		if t := bytes.TrimSpace(line); len(t) == 0 || t[0] == '#' {
			return false
		}
	}
	return true
}

// keyAbove is the key whose list the cursor is in.
func (c typing) keyAbove() string {
	for at := c.lineStart; at > 0; {
		start := bytes.LastIndexByte(c.text[:at-1], '\n') + 1
		line := string(c.text[start : at-1])
		if key, _, ok := strings.Cut(line, ":"); ok && key == strings.TrimLeft(key, " \t-") {
			return key
		}
		at = start
	}
	return ""
}
