package lsp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

type lens struct {
	Range   struct{ Start struct{ Line int } }
	Command struct {
		Title, Command string
		Arguments      []json.RawMessage
	}
}

func lenses(t testing.TB, e *lsptest.Editor, uri string) (out []lens) {
	t.Helper()
	if err := e.Request("textDocument/codeLens", map[string]any{"textDocument": map[string]string{"uri": uri}}, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// press executes a lens.
func press(t testing.TB, e *lsptest.Editor, l lens) {
	t.Helper()
	if err := e.Execute(l.Command.Command, l.Command.Arguments[0], nil); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, e *lsptest.Editor, uri string) string {
	t.Helper()
	var got struct{ Text string }
	if err := e.Request("workspace/textDocumentContent", map[string]string{"uri": uri}, &got); err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	return got.Text
}

var reviewPage = longPage + "27\n28\n29\n30\n"

// TestDiffDocument reviews a proposal in its diff document: lenses on files and hunks accept and reject just those, while the page moves on.
func TestDiffDocument(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/long.md": reviewPage})
	page := filepath.Join(root, "concepts/long.md")
	agents := strings.NewReplacer("\n5\n", "\nfive\n", "\n25\n", "\ntwenty-five\n").Replace(reviewPage)
	e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": agents, "log.md": "# Log\n- x\n", "new/p.md": "# P\n"}, nil)),
		lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	doc := "rigwiki://" + run + ".diff/ingest.diff"
	text := content(t, e, doc)
	for _, want := range []string{"# ingest raw/src.md\n", "# run " + run + ", agent fake\n", "+five\n", "-25\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the diff document lacks %q:\n%s", want, text)
		}
	}
	ls := lenses(t, e, doc)
	heads := strings.Split(text, "\n")
	var accept, reject []lens
	for _, l := range ls {
		if head := heads[l.Range.Start.Line]; strings.HasPrefix(head, "@@") {
			switch l.Command.Title {
			case "Accept":
				accept = append(accept, l)
			case "Reject":
				reject = append(reject, l)
			}
		} else if !strings.HasPrefix(head, "+++ ") {
			t.Errorf("a lens at %q", head)
		}
	}
	if len(accept) != 3 || len(ls) != 3*6 {
		t.Fatalf("%d lenses, %d of hunks", len(ls), len(accept))
	}
	e.Change(page, "typed\n"+e.Buffer(page).Text)
	press(t, e, accept[1]) // the second hunk of long.md
	until(t, e, run, proposal.Partly)
	press(t, e, reject[0])
	want := "typed\n" + strings.Replace(reviewPage, "\n25\n", "\ntwenty-five\n", 1)
	if got := e.Buffer(page).Text; got != want {
		t.Errorf("the page is %q", got)
	}
	if again := content(t, e, doc); again != text {
		t.Error("the diff document changed during the run's life")
	}
	if got := lenses(t, e, lsptest.URI(page)); len(got) != 0 {
		t.Errorf("lenses on a decided page: %v", got)
	}
	press(t, e, func() lens {
		for _, l := range ls {
			if strings.Contains(heads[l.Range.Start.Line], "new/p.md") {
				return l
			}
		}
		t.Fatal("no lens for the new page")
		return lens{}
	}())
	eventually(t, "the decisions", func() bool {
		var shown proposal.Shown
		if err := e.Execute("rigwiki.proposal.show", map[string]string{"run": run}, &shown); err != nil {
			t.Fatal(err)
		}
		got := map[string]proposal.Verdict{}
		for _, f := range shown.Files {
			got[f.Path] = f.State
			for _, h := range f.Hunks {
				got[h.ID] = h.State
			}
		}
		want := map[string]proposal.Verdict{"concepts/long.md#1": proposal.Rejected, "concepts/long.md#2": proposal.Accepted, "log.md": proposal.Waiting, "new/p.md": proposal.Accepted}
		for id, v := range want {
			if got[id] != v {
				return false
			}
		}
		return true
	})
	if read(t, filepath.Join(root, "new/p.md")) != "# P\n" {
		t.Error("the new page has other bytes")
	}
}

// TestPageLenses holds that an open page shows what waits above the lines that would change, also after the user typed.
func TestPageLenses(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/long.md": reviewPage})
	page := filepath.Join(root, "concepts/long.md")
	agents := strings.NewReplacer("\n5\n", "\nfive\n", "\n25\n", "\ntwenty-five\n").Replace(reviewPage)
	e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": agents}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	e.Change(page, "typed\n"+e.Buffer(page).Text)
	var lines []int
	ls := lenses(t, e, lsptest.URI(page))
	for _, l := range ls {
		if l.Command.Title == "Accept" {
			lines = append(lines, l.Range.Start.Line)
		}
	}
	at := strings.Split(e.Buffer(page).Text, "\n")
	if len(lines) != 2 || at[lines[0]] != "5" || at[lines[1]] != "25" {
		t.Fatalf("lenses at %v", lines)
	}
	eventually(t, "a hover that shows the change", func() bool { // the index may still be being opened
		return strings.Contains(hoverAt(t, e, page, lines[1], 0), "-25\n+twenty-five")
	})
	if got := hoverAt(t, e, page, lines[1]+1, 0); got != "" {
		t.Errorf("the line after shows %q", got)
	}
	press(t, e, ls[0])
	until(t, e, run, proposal.Partly)
	if got := e.Buffer(page).Text; !strings.Contains(got, "\nfive\n") || !strings.Contains(got, "\n25\n") {
		t.Errorf("the page is %q", got)
	}
	press(t, e, ls[3]) // Why
	eventually(t, "the reason", func() bool {
		return strings.Contains(fmt.Sprintf("%s", e.Notes("window/showMessage")), "fake proposes to edit it")
	})
}

// TestConflictChoices decides a conflict in each way.
func TestConflictChoices(t *testing.T) {
	mine, agents := strings.Replace(longPage, "\n5\n", "\nFIVE\n", 1), strings.Replace(longPage, "\n5\n", "\nfive\n", 1)
	for title, want := range map[string]string{
		"Keep mine":    mine,
		"Take agent's": agents,
		"Both":         strings.Replace(longPage, "\n5\n", "\nFIVE\nfive\n", 1),
	} {
		t.Run(title, func(t *testing.T) {
			root := newWiki(t, map[string]string{"concepts/long.md": longPage})
			page := filepath.Join(root, "concepts/long.md")
			e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": agents}, nil)), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
			e.Open(page)
			run := ingest(t, e, root)
			until(t, e, run, proposal.Proposed)
			e.Change(page, mine)
			var a applyAnswer
			if err := e.Execute("rigwiki.proposal.apply", map[string]string{"run": run}, &a); err != nil || len(a.Conflicts) != 1 {
				t.Fatalf("%+v, %v", a, err)
			}
			e.Until("the conflict at the page", func() bool { return strings.Contains(lastFindings(e, page), `"line":6`) })
			act(t, e, page, title)
			until(t, e, run, proposal.Applied, proposal.Discarded)
			if got := e.Buffer(page).Text; got != want {
				t.Errorf("the page is %q", got)
			}
			e.Until("its end", func() bool { return !strings.Contains(lastFindings(e, page), "conflict") })
		})
	}
}

// act runs the code action of a page whose title begins so.
func act(t testing.TB, e *lsptest.Editor, path, title string) {
	t.Helper()
	var got []struct {
		Title   string
		Command struct {
			Command   string
			Arguments []json.RawMessage
		}
	}
	at := map[string]int{"line": 0, "character": 0}
	if err := e.Request("textDocument/codeAction", map[string]any{"textDocument": map[string]string{"uri": lsptest.URI(path)},
		"range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &got); err != nil {
		t.Fatal(err)
	}
	for _, a := range got {
		if strings.HasPrefix(a.Title, title) {
			if err := e.Execute(a.Command.Command, a.Command.Arguments[0], nil); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no action %q in %v", title, got)
}

// TestVirtualDocuments holds the sides of a run.
// TestProposedLinks: a link of a proposed page leads to a page that is there, to a page of the same proposal, or nowhere.
func TestProposedLinks(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/old.md": "# Old\n"})
	h := newFakeHost(t, proposes(map[string]string{"concepts/new.md": "[[old]] [[other#Deep]] [[none]]\n", "concepts/other.md": "# Other\n\n## Deep\n"}, nil))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	var links []struct{ Target string }
	err := e.Request("textDocument/documentLink", map[string]any{"textDocument": map[string]string{"uri": "rigwiki://" + run + filepath.Join(root, "concepts/new.md")}}, &links)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{lsptest.URI(filepath.Join(root, "concepts/old.md")), "rigwiki://" + run + filepath.Join(root, "concepts/other.md") + "#L3"}
	if len(links) != 2 || links[0].Target != want[0] || links[1].Target != want[1] {
		t.Errorf("links lead to %+v, want %q", links, want)
	}
}

func TestVirtualDocuments(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/a b.md": "# A\n"})
	h := newFakeHost(t, proposes(map[string]string{"concepts/a b.md": "# A\nx\n", "new.md": "# New\n"}, nil))
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	path := (&url.URL{Path: filepath.Join(root, "concepts/a b.md")}).EscapedPath()
	for uri, want := range map[string]string{
		"rigwiki://" + run + path:                                    "# A\nx\n",
		"rigwiki://" + run + ".base" + path:                          "# A\n",
		"rigwiki://" + run + ".base" + filepath.Join(root, "new.md"): "",
		"rigwiki://" + run + filepath.Join(root, "new.md"):           "# New\n",
		"rigwiki://" + run + ".answer/answer.md":                     "",
	} {
		if got := content(t, e, uri); got != want {
			t.Errorf("%s is %q, want %q", uri, got, want)
		}
	}
	if got := content(t, e, "rigwiki://"+run+".report/report.md"); !strings.Contains(got, "- create new.md, +1 -0") {
		t.Errorf("the report is %q", got)
	}
	for _, bad := range []string{"rigwiki://" + run + "/etc/passwd", "rigwiki://" + run + filepath.Join(root, "log.md"), "rigwiki://" + run + ".nothing/x", "file:///etc/passwd"} {
		if err := e.Request("workspace/textDocumentContent", map[string]string{"uri": bad}, nil); code(err) != -32602 {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
