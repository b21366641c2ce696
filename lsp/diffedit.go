package lsp

import (
	"bytes"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// editedText is the diff that an apply names: its text, or that of an open diff document as it is now.
func (s *server) editedText(a applyArgs) ([]byte, error) {
	switch {
	case len(a.Hunks) > 0:
		return nil, invalid("rigwiki.proposal.apply takes no hunks with an edited diff: what is in the diff is what is meant; paths may name pages")
	case a.Text != "" && a.URI != "":
		return nil, invalid("rigwiki.proposal.apply takes text or uri, not both")
	case a.Text != "":
		return []byte(a.Text), nil
	}
	path, isFile := filePath(a.URI)
	doc, open := s.docs.get(path)
	if run, isDiff := s.diffOf(a.URI); !isFile || !isDiff || run != a.Run || !open {
		return nil, invalid("%s is not the diff of run %s, open in the editor", a.URI, a.Run)
	}
	return doc.text, nil
}

// editedDiff gives the text of a diff document that is a file, open, and not as it was made. The user edits it as with "git add -e".
func (s *server) editedDiff(uri string, made []byte) (text []byte, edited bool) {
	path, ok := filePath(uri)
	if !ok {
		return nil, false
	}
	doc, open := s.docs.get(path)
	if !open || bytes.Equal(doc.text, made) {
		return nil, false
	}
	return doc.text, true
}

// editedOffers are the code actions in an edited diff document. The hunks of the proposal are not told apart in it: a page is taken as it stands there.
func editedOffers(run, uri string, lines []diffLine, at protocol.Range) (out []offer) {
	add := func(kind, title, command string, arg map[string]any) {
		arg["run"] = run
		out = append(out, offer{item{title, command, arg, false, nil}, kindRoot + kind})
	}
	file := ""
	for _, l := range lines {
		if l.line <= int(at.Start.Line) {
			file = l.path
		}
	}
	if file != "" {
		add("apply", "Accept "+file+" as edited", "rigwiki.proposal.apply", map[string]any{"paths": []string{file}, "uri": uri})
		add("discard", "Reject "+file, "rigwiki.proposal.discard", map[string]any{"paths": []string{file}})
	}
	add("apply", "Apply the edited diff, less what is flagged", "rigwiki.proposal.apply", map[string]any{"uri": uri})
	add("discard", "Discard the proposal", "rigwiki.proposal.discard", map[string]any{})
	return out
}

// editedLenses are the lenses on the files of an edited diff document.
func editedLenses(run, uri string, lines []diffLine) []protocol.CodeLens {
	out := []protocol.CodeLens{}
	lines = slices.DeleteFunc(lines, func(l diffLine) bool { return l.hunk != "" })
	for _, l := range lines {
		for _, c := range []struct {
			title, command string
			arg            any
		}{
			{"Accept as edited", "rigwiki.proposal.apply", map[string]any{"run": run, "paths": []string{l.path}, "uri": uri}},
			{"Reject", "rigwiki.proposal.discard", map[string]any{"run": run, "paths": []string{l.path}}},
			{"Why", "rigwiki.proposal.why", whyArgs{run, l.path}},
		} {
			raw, err := json.Marshal(c.arg)
			if err != nil {
				return out
			}
			out = append(out, lensOf(onLine(l.line), c.title, c.command, raw))
		}
	}
	return out
}
