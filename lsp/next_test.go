package lsp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

func lensTitled(ls []lens, title string) (out []lens) {
	for _, l := range ls {
		if l.Command.Title == title {
			out = append(out, l)
		}
	}
	return out
}

// TestNext goes from what waits to what waits: in the page as it is now, over the pages, and round. A page that is to be created is passed by.
func TestNext(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/long.md": reviewPage, "zeta.md": "# Z\n"})
	page := filepath.Join(root, "concepts/long.md")
	agents := strings.NewReplacer("\n5\n", "\nfive\n", "\n15\n", "\nfifteen\n", "\n25\n", "\ntwenty-five\n").Replace(reviewPage)
	e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": agents, "made.md": "# M\n", "zeta.md": deleted}, nil)),
		lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	e.Change(page, "typed\n"+e.Buffer(page).Text)
	next := lensTitled(lenses(t, e, lsptest.URI(page)), "Next")
	if len(next) != 3 {
		t.Fatalf("%d lenses", len(next))
	}
	line := func(text string) int {
		return strings.Count(strings.SplitAfter(e.Buffer(page).Text, "\n"+text+"\n")[0], "\n") - 1
	}
	shown := 0
	goes := func(l lens, path string, line int) {
		t.Helper()
		press(t, e, l)
		shown++
		e.Until("the next change", func() bool { return len(e.HeldRequests("window/showDocument")) == shown })
		var p struct {
			URI       string
			Selection struct{ Start struct{ Line int } }
		}
		if err := json.Unmarshal(e.Requests("window/showDocument")[shown-1], &p); err != nil {
			t.Fatal(err)
		}
		if p.URI != lsptest.URI(path) || p.Selection.Start.Line != line {
			t.Errorf("goes to %s, line %d; want line %d of %s", p.URI, p.Selection.Start.Line, line, path)
		}
	}
	zeta := filepath.Join(root, "zeta.md")
	goes(next[0], page, line("15"))
	if err := e.Execute("rigwiki.proposal.discard", map[string]any{"run": run, "hunks": []string{"concepts/long.md#2"}}, nil); err != nil {
		t.Fatal(err)
	}
	goes(next[0], page, line("25"))
	goes(next[2], zeta, 0)
	e.Open(zeta)
	goes(lensTitled(lenses(t, e, lsptest.URI(zeta)), "Next")[0], page, line("5"))
	if err := e.Execute("rigwiki.proposal.discard", map[string]any{"run": run, "paths": []string{"zeta.md"}, "hunks": []string{"concepts/long.md#1"}}, nil); err != nil {
		t.Fatal(err)
	}
	press(t, e, lensTitled(lenses(t, e, lsptest.URI(page)), "Next")[0])
	eventually(t, "the word that there is no more", func() bool {
		return strings.Contains(fmt.Sprintf("%s", e.Notes("window/showMessage")), "nothing else waits at a page")
	})
	if err := e.Execute("rigwiki.proposal.next", map[string]string{"run": run, "path": "no.md"}, nil); code(err) != -32602 {
		t.Errorf("a page of no proposal: %v", err)
	}
}

// TestNextIsLeftOut holds that a client that cannot show a document is offered no way there.
func TestNextIsLeftOut(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/long.md": reviewPage})
	page := filepath.Join(root, "concepts/long.md")
	profile := lsptest.VSCode()
	profile.Capabilities = json.RawMessage(strings.Replace(string(profile.Capabilities), `"showDocument":{"support":true}`, `"showDocument":{"support":false}`, 1))
	e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": "x\n" + reviewPage}, nil)),
		lsptest.Options{Root: root, Profile: profile, Init: withMessage})
	e.Open(page)
	until(t, e, ingest(t, e, root), proposal.Proposed)
	var titles []string
	for _, l := range lenses(t, e, lsptest.URI(page)) {
		titles = append(titles, l.Command.Title)
	}
	if got := strings.Join(titles, " "); got != "Accept Reject Why" {
		t.Errorf("lenses: %s", got)
	}
}
