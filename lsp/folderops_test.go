package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
)

// TestFolderOfFiles moves and deletes a folder of pages and attachments: links to the files count as links to pages do; names that begin alike are others.
func TestFolderOfFiles(t *testing.T) {
	pages := map[string]string{
		"index.md":    "# Index\n\n[[page]] ![[assets/pic.png|300]] ![x](assets/pic.png) ![[pic.png]] [d](<assets/my doc.pdf#page=3>) ![y](assets/my%20doc.pdf) [[assets2/o]]\n",
		"assets/n.md": "# N\n\n![](pic.png) [up](../page.md) ![[sub/z.png]]\n", "assets/pic.png": "x", "assets/my doc.pdf": "x", "assets/sub/z.png": "x",
		"assets2/o.md": "# O\n\n[n](../assets/n.md)\n", "page.md": "# P\n\n[[assets/n]] [n](assets/n.md) [z](assets/sub/z.png)\n",
	}
	d := newStudy(t, full("utf-16"), "", pages)
	d.open("index.md")
	var edit json.RawMessage
	files := []map[string]string{{"oldUri": lsptest.URI(d.path("assets")), "newUri": lsptest.URI(d.path("media/all"))}}
	if err := d.e.Request("workspace/willRenameFiles", map[string]any{"files": files}, &edit); err != nil {
		t.Fatal(err)
	}
	if err := d.e.ApplyEdit(json.RawMessage(`{"edit":` + string(edit) + `}`)); err != nil {
		t.Fatal(err)
	}
	for rel, want := range map[string]string{
		"index.md":     "# Index\n\n[[page]] ![[media/all/pic.png|300]] ![x](media/all/pic.png) ![[pic.png]] [d](<media/all/my doc.pdf#page=3>) ![y](media/all/my%20doc.pdf) [[assets2/o]]\n",
		"assets/n.md":  "# N\n\n![](pic.png) [up](../../page.md) ![[sub/z.png]]\n", // moved by the editor, with its new text
		"assets2/o.md": "# O\n\n[n](../media/all/n.md)\n", "page.md": "# P\n\n[[media/all/n]] [n](media/all/n.md) [z](media/all/sub/z.png)\n",
	} {
		if got := d.now(rel); got != want {
			t.Errorf("%s:\n got %q\nwant %q", rel, got, want)
		}
	}
	d = newStudy(t, full("utf-16"), "", pages)
	d.open("index.md")
	if err := d.e.Request("workspace/willDeleteFiles", map[string]any{"files": []map[string]string{{"uri": lsptest.URI(d.path("assets"))}}}, nil); err != nil {
		t.Fatal(err)
	}
	if said := d.e.Notes("window/showMessage"); !slices.ContainsFunc(said, func(m json.RawMessage) bool {
		return strings.Contains(string(m), "3 pages linked to assets: assets2/o.md, index.md, page.md")
	}) {
		t.Errorf("messages: %s", said)
	}
}
