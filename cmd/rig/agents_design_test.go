package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/adapters/adaptertest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// designWiki lays out a real wiki of some size, made by others: the one that search is measured with.
func designWiki(t *testing.T, dir string) {
	t.Helper()
	z, err := zip.OpenReader("../../wiki/index/testdata/go-design.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
}

// agentDesign has an agent ingest, answer and lint on a copy of that wiki; its model obeys an injection on the way.
func agentDesign(t *testing.T, d *desk) {
	d.wiki = filepath.Join(d.top, "docs", "go-design")
	designWiki(t, d.wiki)
	d.before = files(t, d.wiki)
	const was = "- [[number-literals]] — binary, octal and separated number literals (Go 1.13)"
	const logged = "- created [[number-literals]], [[gofmt]], [[backward-compatibility]], [[go-version-line]]"
	page := "---\ntype: source\nsources: [embed]\ningested-at: 2026-10-05\nlast-updated: 2026-10-05\nsource-path: raw/draft-embed.md\n---\n# Embedded files\n\nA directive of the go command, so [[go-version-line]] applies.\n"
	note := adaptertest.Script(
		adaptertest.Step{Op: "read", Path: d.wiki + "/schema.md"},
		adaptertest.Step{Op: "read", Path: d.wiki + "/.rig-readonly/draft-embed.md"},
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/embed.md", Content: page},
		adaptertest.Step{Op: "read", Path: d.wiki + "/index.md", Also: []adaptertest.Step{{Op: "read", Path: d.wiki + "/log.md"}}},
		adaptertest.Step{Op: "edit", Path: d.wiki + "/index.md", Old: was, New: was + "\n- [[embed]] — files in the binary"},
		adaptertest.Step{Op: "edit", Path: d.wiki + "/log.md", Old: logged, New: logged + "\n\n## 2026-10-05 — ingest draft-embed.md\n- created [[embed]]"},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: embed"})
	w := d.do(0, "ingest", "raw/draft-embed.md", "--note", note)
	d.kept(t, w, "index.md edit", "log.md edit", "sources/embed.md create")
	d.recorded(t, w)
	if !slices.Contains(w.Data.Markers, "INGEST DONE: embed") || len(w.Data.Warnings) > 0 || len(w.Data.Refused) > 0 {
		t.Errorf("markers %q, warnings %q, refused %v", w.Data.Markers, w.Data.Warnings, w.Data.Refused)
	}
	d.untouched()
	d.injected(t, page)
	d.designAnswers(t)
	d.untouched()
}

// kept demands the changes that were kept, without flags.
func (d *desk) kept(t *testing.T, w word, want ...string) {
	t.Helper()
	var got []string
	for _, f := range w.Data.Files {
		got = append(got, strings.TrimSpace(f.Path+" "+f.Kind+" "+strings.Join(f.Flags, ",")))
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q: %s\n%s", got, want, w.Data.Message, d.logs(w))
	}
}

// injected is a run whose model does on the way what a source told it to: one page is good, the rest never arrives.
func (d *desk) injected(t *testing.T, page string) {
	w := d.run("ingest", "raw/60078-loopvar.md", "--note", adaptertest.Script(
		adaptertest.Step{Op: "write", Path: d.wiki + "/sources/loopvar.md", Content: strings.ReplaceAll(page, "draft-embed", "60078-loopvar")},
		adaptertest.Step{Op: "bash", Cmd: "echo x >> raw/60078-loopvar.md; echo x > " + d.neighbour + "/escaped; echo x > " + d.homeDir + "/escaped; rm -rf raw; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit"},
		adaptertest.Step{Op: "write", Path: d.wiki + "/raw/60078-loopvar.md", Content: "tampered\n"},
		adaptertest.Step{Op: "write", Path: d.neighbour + "/escaped.md", Content: "x\n"},
		adaptertest.Step{Op: "write", Path: d.wiki + "/purpose.md", Content: "tampered\n"},
		adaptertest.Step{Op: "say", Text: "INGEST DONE: loopvar"}))
	if w.Exit != 0 || w.Data.State != "proposed" {
		t.Errorf("injected: exit %d, %s: %s\n%s", w.Exit, w.Data.State, w.Data.Message, d.logs(w))
	}
	for _, f := range w.Data.Files {
		if f.Path != "sources/loopvar.md" {
			t.Errorf("injected: kept %+v", f)
		}
	}
}

// designAnswers asks the wiki, and has it read for contradictions.
func (d *desk) designAnswers(t *testing.T) {
	w := d.do(0, "query", "What may a release not break? "+adaptertest.Script(
		adaptertest.Step{Op: "read", Path: d.wiki + "/concepts/backward-compatibility.md"},
		adaptertest.Step{Op: "say", Text: "What compiles today must go on compiling [[backward-compatibility]]."}))
	if len(w.Data.Citations) != 1 || w.Data.Citations[0].Path != "concepts/backward-compatibility.md" {
		t.Errorf("citations %+v of %q", w.Data.Citations, w.Data.Answer)
	}
	d.prompt("lint", adaptertest.Script(
		adaptertest.Step{Op: "read", Path: d.wiki + "/sources/number-literals.md"},
		adaptertest.Step{Op: "say", Text: "sources/number-literals.md:9: unsourced: nothing says who decided\nnowhere.md:1: unclear: no such page"}))
	w = d.run("lint", "--semantic")
	if !slices.ContainsFunc(w.Data.Findings, func(f proposal.Finding) bool {
		return f.Path == "sources/number-literals.md" && f.Line == 9 && f.Code == "semantic-unsourced"
	}) {
		t.Errorf("exit %d, findings %+v, %+v\n%s", w.Exit, w.Data.Findings, w.Error, w.Stderr)
	}
	if slices.ContainsFunc(w.Data.Findings, func(f proposal.Finding) bool { return f.Path == "nowhere.md" }) {
		t.Errorf("a finding on a page that is not there: %+v", w.Data.Findings)
	}
}
