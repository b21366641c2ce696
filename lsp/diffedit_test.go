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

// TestEditedText applies the run's diff as the user edited it, sent by the client: byte for byte, on a page that moved on, and back.
func TestEditedText(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/long.md": reviewPage})
	page := filepath.Join(root, "concepts/long.md")
	agents := strings.NewReplacer("\n5\n", "\nfive\n", "\n25\n", "\ntwenty-five\n").Replace(reviewPage)
	e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": agents, "log.md": "# Log\n- x\n", "new/p.md": "# P\n"}, nil)),
		lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	e.Open(page)
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	text := content(t, e, "rigwiki://"+run+".diff/ingest.diff")
	apply := func(arg map[string]any) error {
		arg["run"] = run
		return e.Execute("rigwiki.proposal.apply", arg, nil)
	}
	bad := strings.Replace(text, "-25\n", "-26\n", 1)
	hunk := strings.Count(text[:strings.LastIndex(text[:strings.Index(text, "-25\n")], "@@ -")], "\n") + 1
	for _, c := range []struct {
		arg  map[string]any
		want string
	}{
		{map[string]any{"text": bad}, "concepts/long.md: hunk 2"},
		{map[string]any{"text": bad}, fmt.Sprintf("line %d: ", hunk)},
		{map[string]any{"text": strings.ReplaceAll(text, "new/p.md", "new/q.md")}, "new/q.md: not in this proposal"},
		{map[string]any{"text": strings.Replace(text, " 26\n", "26\n", 1)}, "starts with '2'"},
		{map[string]any{"text": text, "hunks": []string{"concepts/long.md#1"}}, "no hunks with an edited diff"},
		{map[string]any{"uri": "rigwiki://" + run + ".diff/ingest.diff"}, "is not the diff of run"},
		{map[string]any{"uri": lsptest.URI(page)}, "is not the diff of run"},
		{map[string]any{"text": text, "paths": []string{"no.md"}}, "no.md: not in this proposal"},
	} {
		if err := apply(c.arg); code(err) != -32602 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
	e.Change(page, "typed\n"+e.Buffer(page).Text)
	edited := strings.NewReplacer("+five\n", "+FIVE\n+and more\n", "-25\n", " 25\n", "+twenty-five\n", "").Replace(text)
	edited = edited[:strings.Index(edited, "diff --git a/log.md")] + edited[strings.Index(edited, "diff --git a/new/p.md"):]
	if err := apply(map[string]any{"text": edited}); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Partly)
	if got, want := e.Buffer(page).Text, "typed\n"+strings.Replace(reviewPage, "\n5\n", "\nFIVE\nand more\n", 1); got != want {
		t.Errorf("the page is %q", got)
	}
	if got := read(t, filepath.Join(root, "log.md")); got != "# Log\n" {
		t.Errorf("a page that was taken out of the diff is %q", got)
	}
	var shown proposal.Shown
	if err := e.Execute("rigwiki.proposal.show", map[string]string{"run": run}, &shown); err != nil {
		t.Fatal(err)
	}
	for _, f := range shown.Files {
		if want := map[string]proposal.Verdict{"concepts/long.md": proposal.Waiting, "log.md": proposal.Waiting, "new/p.md": proposal.Accepted}[f.Path]; f.State != want {
			t.Errorf("%s is %s", f.Path, f.State)
		}
	}
	if err := e.Execute("rigwiki.run.undo", map[string]string{"run": run}, nil); err != nil {
		t.Fatal(err)
	}
	until(t, e, run, proposal.Discarded)
	if got := e.Buffer(page).Text; got != "typed\n"+reviewPage {
		t.Errorf("after the undo the page is %q", got)
	}
}

// TestEditedDocument edits the diff document that a client without virtual documents has as a file: its actions take the text as it is in the editor,
// saved or not, and showing it again does not take the user's text away.
func TestEditedDocument(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/long.md": reviewPage})
	page := filepath.Join(root, "concepts/long.md")
	agents := strings.NewReplacer("\n5\n", "\nfive\n", "\n25\n", "\ntwenty-five\n").Replace(reviewPage)
	e := session(t, newFakeHost(t, proposes(map[string]string{"concepts/long.md": agents, "log.md": "# Log\n- x\n"}, nil)),
		lsptest.Options{Root: root, Profile: lsptest.Neovim(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	show := func() string {
		before := len(e.Requests("window/showDocument"))
		if err := e.Execute("rigwiki.proposal.review", map[string]string{"run": run}, nil); err != nil {
			t.Fatal(err)
		}
		e.Until("the diff document", func() bool { return len(e.HeldRequests("window/showDocument")) > before })
		var p struct{ URI string }
		if err := json.Unmarshal(e.Requests("window/showDocument")[before], &p); err != nil {
			t.Fatal(err)
		}
		path, ok := filePath(p.URI)
		if !ok {
			t.Fatalf("%q is no file", p.URI)
		}
		return path
	}
	doc := show()
	e.Open(doc)
	if got := actionTitles(t, e, doc); !strings.Contains(strings.Join(got, "|"), "Apply all that is not flagged") {
		t.Errorf("before: %q", got)
	}
	edited := strings.Replace(read(t, doc), "+twenty-five\n", "+XXV\n+and a half\n", 1)
	e.Change(doc, edited)
	var accept []lens
	for _, l := range lenses(t, e, lsptest.URI(doc)) {
		if l.Command.Title == "Accept as edited" {
			accept = append(accept, l)
		}
	}
	if len(accept) != 2 {
		t.Fatalf("%d lenses", len(accept))
	}
	e.Save(doc)
	if again := show(); again != doc || read(t, doc) != edited {
		t.Error("showing the diff again took the user's text away")
	}
	press(t, e, accept[0])
	until(t, e, run, proposal.Partly)
	want := strings.NewReplacer("\n5\n", "\nfive\n", "\n25\n", "\nXXV\nand a half\n").Replace(reviewPage)
	eventually(t, "the page", func() bool { return textNow(t, e, page) == want })
	act(t, e, doc, "Apply the edited diff")
	until(t, e, run, proposal.Applied)
	eventually(t, "the log", func() bool { return textNow(t, e, filepath.Join(root, "log.md")) == "# Log\n- x\n" })
}

// textNow is a page's text in the editor, or on disk where it is not open.
func textNow(t testing.TB, e *lsptest.Editor, path string) string {
	t.Helper()
	if b := e.Buffer(path); b != (lsptest.Buffer{}) {
		return b.Text
	}
	return read(t, path)
}
