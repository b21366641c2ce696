package lsp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// virtualScheme is the scheme of our documents: rigwiki://<run>[.side]/<path>. The path of a page is its path on disk, or VS Code shows a rename; there
// is no query part, since clients encode "=" anew; Vim needs the two slashes.
const virtualScheme = "rigwiki"

// virtualURI makes the URI of a virtual document. host is a run id with or without a side.
func virtualURI(host, path string) uri.URI {
	u, err := uri.From(uri.Components{Scheme: virtualScheme, Authority: host, Path: path})
	if err != nil { // not from a run id and an absolute path
		return uri.URI(virtualScheme + "://" + host)
	}
	return u
}

// virtualDoc is one virtual document, read from its URI.
type virtualDoc struct{ run, side, path string }

// parseVirtual reads a URI of our scheme.
func parseVirtual(raw string) (virtualDoc, bool) {
	u, err := uri.Parse(raw)
	if err != nil || u.Scheme() != virtualScheme {
		return virtualDoc{}, false
	}
	run, side, _ := strings.Cut(u.Authority(), ".")
	return virtualDoc{run: run, side: side, path: u.Path()}, run != ""
}

// sides are the kinds of virtual document, by what stands after the run's id.
func sides() map[string]func(virtualDoc, *wiki.Wiki, *proposal.Store, proposal.Record) ([]byte, error) {
	return map[string]func(virtualDoc, *wiki.Wiki, *proposal.Store, proposal.Record) ([]byte, error){
		"": func(d virtualDoc, w *wiki.Wiki, store *proposal.Store, rec proposal.Record) ([]byte, error) {
			return pageText(d, w, store, rec, func(f proposal.File) string { return f.New })
		},
		"base": func(d virtualDoc, w *wiki.Wiki, store *proposal.Store, rec proposal.Record) ([]byte, error) {
			return pageText(d, w, store, rec, func(f proposal.File) string { return f.Base })
		},
		"diff": func(_ virtualDoc, _ *wiki.Wiki, store *proposal.Store, rec proposal.Record) ([]byte, error) {
			return diffDocument(store, rec)
		},
		"answer": func(_ virtualDoc, _ *wiki.Wiki, _ *proposal.Store, rec proposal.Record) ([]byte, error) {
			return []byte(rec.Answer), nil
		},
		"prompt": func(_ virtualDoc, _ *wiki.Wiki, store *proposal.Store, rec proposal.Record) ([]byte, error) {
			return kept(store, rec, "prompt.md")
		},
		"timeline": func(_ virtualDoc, _ *wiki.Wiki, store *proposal.Store, rec proposal.Record) ([]byte, error) {
			return timeline(store, rec)
		},
		"report": func(_ virtualDoc, _ *wiki.Wiki, _ *proposal.Store, rec proposal.Record) ([]byte, error) {
			return report(rec), nil
		},
	}
}

// textDocumentContent answers the text of a virtual document. It is the same for the life of a run.
func (s *server) textDocumentContent(_ context.Context, p *protocol.TextDocumentContentParams) (*protocol.TextDocumentContentResult, error) {
	d, ok := parseVirtual(string(p.URI))
	if !ok {
		return nil, invalid("%q is not one of our documents", p.URI)
	}
	_, text, err := s.virtualText(d)
	if err != nil {
		return nil, err
	}
	return &protocol.TextDocumentContentResult{Text: string(text)}, nil
}

// virtualText renders a virtual document of a run, and gives the wiki that the run was in.
func (s *server) virtualText(d virtualDoc) (*wiki.Wiki, []byte, error) {
	render, ok := sides()[d.side]
	if !ok {
		return nil, nil, invalid("there is no side %q of run %s", d.side, d.run)
	}
	w, store, rec, err := s.record(d.run)
	if err != nil {
		return nil, nil, err
	}
	text, err := render(d, w, store, rec)
	return w, text, err
}

// pageText is one side of a page of the proposal, "" for a page that is not there on that side.
func pageText(d virtualDoc, w *wiki.Wiki, store *proposal.Store, rec proposal.Record, sum func(proposal.File) string) ([]byte, error) {
	rel, ok := relIn(w, filepath.FromSlash(d.path))
	if !ok {
		return nil, invalid("%s is not in the wiki of run %s", d.path, d.run)
	}
	for _, f := range rec.Files {
		if f.Path != rel && f.From != rel {
			continue
		}
		if sum(f) == "" {
			return nil, nil
		}
		return store.Text(rec.Run, sum(f))
	}
	return nil, invalid("%s is not in the proposal of run %s", rel, d.run)
}

// diffDocument is the unified diff of a proposal as it was made, with a head that tells what it is.
func diffDocument(store *proposal.Store, rec proposal.Record) ([]byte, error) {
	var b bytes.Buffer
	line := func(format string, a ...any) { fmt.Fprintf(&b, "# "+format+"\n", a...) }
	line("%s", rec.Title)
	line("run %s, agent %s", rec.Run, rec.Agent)
	if rec.Confinement != "" {
		line("confinement: %s", rec.Confinement)
	}
	if line("%s", counts(rec)); rec.Branch != "" {
		line("branch %s, %s, against %.12s", rec.Branch, plural(rec.Commits, "commit"), rec.Base)
	}
	for _, f := range rec.Files {
		for _, fl := range f.Flags {
			line("flagged %s: %s: %s", f.Path, fl.Rule, fl.Reason)
		}
	}
	for _, r := range rec.Refused {
		line("refused %s: %s: %s", r.Path, r.Rule, r.Reason)
	}
	diff, err := os.ReadFile(filepath.Join(store.Dir(rec.Run), "proposal.diff"))
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read the diff of %s: %w", rec.Run, err)
	}
	b.Write(diff)
	return b.Bytes(), nil
}

// report tells all that is known of a run, in markdown.
func report(rec proposal.Record) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", rec.Title, rec.Message)
	fmt.Fprintf(&b, "- run: %s\n- state: %s\n- agent: %s %s\n- confinement: %s\n", rec.Run, rec.State, rec.Agent, rec.Model, rec.Confinement)
	if !rec.Ended.IsZero() {
		fmt.Fprintf(&b, "- took: %s\n", rec.Ended.Sub(rec.Started).Round(100_000_000))
	}
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n- %s\n", title, strings.Join(lines, "\n- "))
		}
	}
	var files, refused []string
	for _, f := range rec.Files {
		l := fmt.Sprintf("%s %s, +%d -%d", f.Kind, f.Path, f.Added, f.Removed)
		for _, fl := range f.Flags {
			l += fmt.Sprintf("; flagged %s: %s", fl.Rule, fl.Reason)
		}
		files = append(files, l)
	}
	for _, r := range rec.Refused {
		refused = append(refused, fmt.Sprintf("%s: %s: %s", r.Path, r.Rule, r.Reason))
	}
	if rec.Branch != "" {
		fmt.Fprintf(&b, "- branch: %s, %s\n", rec.Branch, plural(rec.Commits, "commit"))
	}
	section("Pages", files)
	section("Refused", refused)
	section("Outside of the sandbox", rec.Outside)
	section("Warnings", rec.Warnings)
	section("Markers", rec.Markers)
	if aboutTask(rec.Op) && rec.Answer != "" {
		fmt.Fprintf(&b, "\n## What the agent says\n\n%s\n", rec.Answer)
	}
	return b.Bytes()
}
