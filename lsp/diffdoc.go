package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
)

// diffLine is one line of the diff document that something can be decided at: a file's head or a hunk's.
type diffLine struct {
	line int
	path string
	hunk string // "" for the file
}

// diffLines finds the heads of files and hunks in a diff document. The hunks of a file come in the order of their ids.
func diffLines(text string, shown proposal.Shown) []diffLine {
	files := map[string]proposal.ShownFile{}
	for _, f := range shown.Files {
		files[f.Path] = f
		if f.From != "" {
			files[f.From] = f
		}
	}
	var out []diffLine
	var now proposal.ShownFile
	var hunks []proposal.ShownHunk
	old := ""
	for n, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "--- "):
			old = diffName(line[4:], "a/")
		case strings.HasPrefix(line, "+++ ") && old != "":
			name := diffName(line[4:], "b/")
			f, ok := files[name]
			if !ok {
				f = files[old]
			}
			now, hunks, old = f, f.Hunks, ""
			if now.Path != "" {
				out = append(out, diffLine{n, now.Path, ""})
			}
		case strings.HasPrefix(line, "@@ ") && now.Kind == proposal.Edited && len(hunks) > 0:
			out = append(out, diffLine{n, now.Path, hunks[0].ID})
			hunks = hunks[1:]
		}
	}
	return out
}

// diffName reads a file's name from a diff's head.
func diffName(field, prefix string) string {
	name, _, _ := strings.Cut(field, "\t")
	return strings.TrimPrefix(name, prefix)
}

// diffOffers are the code actions in a diff document: about the hunk and the file at the cursor, and about the whole.
func (s *server) diffOffers(run, uri string, at protocol.Range) []offer {
	text, shown, err := s.readDiff(run)
	if err != nil || settled(shown.State) {
		return nil
	}
	if now, edited := s.editedDiff(uri, text); edited {
		return editedOffers(run, uri, diffLines(string(now), shown), at)
	}
	lines := diffLines(string(text), shown)
	var out []offer
	add := func(kind, title, command string, arg map[string]any) {
		arg["run"] = run
		out = append(out, offer{item{title, command, arg, false, nil}, kindRoot + kind})
	}
	var file, hunk *diffLine
	for i, l := range lines {
		if l.line > int(at.Start.Line) {
			break
		}
		if l.hunk == "" {
			file, hunk = &lines[i], nil
		} else {
			hunk = &lines[i]
		}
	}
	if hunk != nil {
		add("apply", "Accept this hunk of "+hunk.path, "rigwiki.proposal.apply", map[string]any{"hunks": []string{hunk.hunk}})
		add("discard", "Reject this hunk of "+hunk.path, "rigwiki.proposal.discard", map[string]any{"hunks": []string{hunk.hunk}})
	}
	if file != nil {
		add("apply", "Accept "+file.path, "rigwiki.proposal.apply", map[string]any{"paths": []string{file.path}})
		add("discard", "Reject "+file.path, "rigwiki.proposal.discard", map[string]any{"paths": []string{file.path}})
	}
	add("apply", "Apply all that is not flagged", "rigwiki.proposal.apply", map[string]any{})
	add("discard", "Discard the proposal", "rigwiki.proposal.discard", map[string]any{})
	return out
}

// diffOf tells whether a URI is a diff document, virtual or a file in a run's folder, and of which run.
func (s *server) diffOf(raw string) (run string, ok bool) {
	if d, ok := parseVirtual(raw); ok {
		return d.run, d.side == "diff"
	}
	path, ok := filePath(raw)
	if !ok || filepath.Ext(path) != ".diff" {
		return "", false
	}
	return s.runFolder(filepath.Dir(path))
}

// runFolder tells whether a folder is that of a run of this session's wikis, and of which.
func (s *server) runFolder(dir string) (run string, ok bool) {
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	for _, store := range s.shelf.stores {
		if dir == store.Dir(filepath.Base(dir)) {
			return filepath.Base(dir), true
		}
	}
	return "", false
}

// readDiff gives a run's diff document as it was made, and what can be decided in it.
func (s *server) readDiff(run string) (text []byte, shown proposal.Shown, err error) {
	_, store, err := s.find(run)
	if err != nil {
		return nil, shown, err
	}
	rec, err := store.Load(run)
	if err != nil {
		return nil, shown, err
	}
	if shown, err = store.Show(run); err != nil {
		return nil, shown, err
	}
	if text, err = diffDocument(store, rec); err != nil {
		return nil, shown, fmt.Errorf("read the diff of %s: %w", run, err)
	}
	return text, shown, nil
}

// settled tells of a run whose diff is there to be read: a task's, which is on its branch already.
func settled(s proposal.State) bool { return s == proposal.Done || s == proposal.Incomplete }
