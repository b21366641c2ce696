package lsp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
)

// TestManyChanges: what other programs do to the wiki under an open page is noticed, ten thousand files at once too: by the system's events where the client
// says nothing (Neovim on Linux), and by the client's word in one notification.
func TestManyChanges(t *testing.T) {
	const many = 10_000
	page := func(d *study, n int) string { return d.path(fmt.Sprintf("concepts/p-%d.md", n)) }
	for name, tell := range map[string]func(d *study, kind int, files ...string){
		"events of the system": func(*study, int, ...string) {},
		"told by the client": func(d *study, kind int, files ...string) {
			changes := make([]any, len(files))
			for i, f := range files {
				changes[i] = map[string]any{"uri": lsptest.URI(f), "type": kind}
			}
			d.e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := newWiki(t, map[string]string{"concepts/a.md": fmt.Sprintf("# A\n\n[[p-%d]]\n", many-1), "concepts/b.md": "# B\n"})
			d := studyOn(t, lsptest.Neovim(), "", root)
			d.open("concepts/a.md")
			broken := func() bool { return strings.Contains(lastFindings(d.e, d.path("concepts/a.md")), "broken-link") }
			d.e.Until("the broken link", broken)
			files := make([]string, many)
			for i := range files {
				files[i] = page(d, i)
				write(t, files[i], "# P\n")
			}
			tell(d, 1, files...)
			d.e.Until("the link leads somewhere", func() bool { return !broken() })
			var links []struct{ URI string }
			if err := d.ask("textDocument/definition", "concepts/a.md", "[[p‸-", nil, &links); err != nil || len(links) != 1 || links[0].URI != lsptest.URI(files[many-1]) {
				t.Errorf("%v %v", links, err)
			}
			if err := os.Remove(files[many-1]); err != nil {
				t.Fatal(err)
			}
			tell(d, 3, files[many-1])
			d.e.Until("the broken link again", broken)
		})
	}
}
