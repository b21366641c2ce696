package lsp

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
)

// TestLinksComeFirst holds a first build where its full text is laid out: links, names and findings are answered, a question is told why it is not; what was left
// out comes when the build goes on.
func TestLinksComeFirst(t *testing.T) {
	same := "\n\nKettles boil"
	for i := range 400 {
		same += fmt.Sprint(" drop", i)
	}
	root := newWiki(t, map[string]string{"concepts/kettle.md": "# Kettle" + same, "concepts/pot.md": "# Pot" + same + "\n[[kettle]] and [[nope]]\n\n## What boils?\n"})
	h := newFakeHost(t, nil)
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	h.building = func(step index.Step) {
		if step == index.FullText {
			<-held
		}
	}
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	t.Cleanup(release)
	pot := filepath.Join(root, "concepts/pot.md")
	e.Open(pot)
	eventually(t, "a link's hover", func() bool { return strings.Contains(hoverAt(t, e, pot, 3, 4), "**Kettle**") })
	if got := hoverAt(t, e, pot, 5, 5); !strings.Contains(got, "still being indexed") {
		t.Errorf("a question shows %q", got)
	}
	var names []struct{ Name string }
	if err := e.Request("workspace/symbol", map[string]any{"query": "kettle"}, &names); err != nil || len(names) == 0 {
		t.Errorf("symbols %v, %v", names, err)
	}
	e.Until("the broken link", func() bool { return strings.Contains(lastFindings(e, pot), "broken-link") })
	if strings.Contains(lastFindings(e, pot), "near-duplicate-page") {
		t.Error("copies were looked for without the full text")
	}
	release()
	e.Until("the copy", func() bool { return strings.Contains(lastFindings(e, pot), "near-duplicate-page") })
	if got := hoverAt(t, e, pot, 5, 5); !strings.Contains(got, "Kettle") {
		t.Errorf("a question shows %q", got)
	}
}

// TestIndexStopped stops a first build where its full text is laid out: links stay answered, and a question makes it go on.
func TestIndexStopped(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/kettle.md": "# Kettle\n\nKettles boil\n", "concepts/pot.md": "# Pot\n\n[[kettle]]\n\n## What boils?\n"})
	h := newFakeHost(t, nil)
	held := make(chan struct{})
	release := sync.OnceFunc(func() { close(held) })
	reached := make(chan struct{}, 2)
	h.building = func(step index.Step) {
		if step == index.FullText {
			reached <- struct{}{}
			<-held
		}
	}
	e := session(t, h, lsptest.Options{Root: root, Profile: lsptest.VSCode()})
	t.Cleanup(release)
	pot := filepath.Join(root, "concepts/pot.md")
	e.Open(pot)
	<-reached
	w, err := wiki.Find(pot)
	if err != nil {
		t.Fatal(err)
	}
	e.Notify("window/workDoneProgress/cancel", map[string]string{"token": tokenPrefix + "index-" + w.ID})
	if got := hoverAt(t, e, pot, 2, 4); !strings.Contains(got, "**Kettle**") { // answered after the notification was taken in
		t.Errorf("a link shows %q", got)
	}
	release()
	eventually(t, "the question's answer", func() bool { return strings.Contains(hoverAt(t, e, pot, 4, 5), "Kettles boil") })
	if len(reached) == 0 {
		t.Error("the first build went on although it was stopped")
	}
}
