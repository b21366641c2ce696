package lsp

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestUnknownDirectory is case o-lw-04 in an editor: the page in the folder that the schema does not know can be moved, with every link to it.
func TestUnknownDirectory(t *testing.T) {
	d := newStudy(t, full("utf-16"), "", map[string]string{
		"schema.md": "# Schema\n\n| type | directory |\n|---|---|\n| entity | wiki/entities/ |\n| concept | wiki/concepts/ |\n| methodology | wiki/methodology/ |\n", "purpose.md": "# P\n", "raw/x.md": "x\n",
		"wiki/methodology/glazing.md": "---\ntype: methodology\n---\n# Glazing\n", "wiki/methodologies/firing.md": "---\ntype: methodology\n---\n# Firing\n",
		"wiki/concepts/oven.md": "---\ntype: entity\n---\n# Oven\n", "wiki/entities/kiln.md": "---\ntype: entity\n---\n[[methodologies/firing]] [[methodology/glazing]]\n",
	})
	if got := codes(d.pull("wiki/concepts/oven.md", "").Items); !strings.Contains(got, "type-directory-mismatch 1:0-1:12") {
		t.Error(got)
	}
	list := d.fixes("wiki/methodologies/firing.md", "‸---")
	i := slices.IndexFunc(list, func(a wireAction) bool { return a.Title == "Move to wiki/methodology/firing.md" })
	if i < 0 {
		t.Fatalf("offers %q", titles(list))
	}
	if err := d.e.ApplyEdit(json.RawMessage(`{"edit":` + string(list[i].Edit) + `}`)); err != nil {
		t.Fatal(err)
	}
	if got := d.now("wiki/entities/kiln.md"); !strings.Contains(got, "[[methodology/firing]] [[methodology/glazing]]") {
		t.Errorf("%q", got)
	}
	if got := d.now("wiki/methodology/firing.md"); got != "---\ntype: methodology\n---\n# Firing\n" {
		t.Errorf("%q", got)
	}
}

// TestSemanticFindings: what an agent's pass found stands at its page and line, until the next pass.
func TestSemanticFindings(t *testing.T) {
	root := newWiki(t, map[string]string{"a.md": "# A\n\nWater is wet.\n"})
	e := session(t, realHost(t, `[ -e b.md ] || echo 'a.md:3: contradiction: b says it is dry'; echo 'no/page.md:1: unclear: what'`), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	page := filepath.Join(root, "a.md")
	e.Open(page)
	pass := func() {
		var got struct{ Run string }
		if err := e.Execute("rigwiki.lint", map[string]string{"uri": lsptest.URI(page)}, &got); err != nil {
			t.Fatal(err)
		}
		until(t, e, got.Run, proposal.Done)
	}
	pass()
	e.Until("the finding", func() bool {
		last := lastFindings(e, page)
		return strings.Contains(last, `"semantic-contradiction"`) && strings.Contains(last, "probe: b says it is dry") && strings.Contains(last, `"start":{"line":2,"character":0}`)
	})
	write(t, filepath.Join(root, "b.md"), "# B\n")
	pass()
	e.Until("no finding", func() bool { return !strings.Contains(lastFindings(e, page), "semantic-") })
}

// TestSourceFindings: a page whose source drifted or is gone says so while it is open, and no longer once it gives the source as it is.
func TestSourceFindings(t *testing.T) {
	root := newWiki(t, map[string]string{
		"raw/a.md": "now\n", "sources/a.md": "---\ntype: source\nsource-path: raw/a.md\nsource-sha: 0000\n---\n# A\n", "sources/gone.md": "---\ntype: source\nsource-path: raw/gone.md\n---\n# Gone\n",
	})
	e := session(t, realHost(t, "exit 0"), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: notifying})
	a, gone := filepath.Join(root, "sources/a.md"), filepath.Join(root, "sources/gone.md")
	e.Open(a)
	e.Open(gone)
	e.Until("the drift", func() bool { return strings.Contains(lastFindings(e, a), `"raw-drift"`) })
	e.Until("the missing source", func() bool { return strings.Contains(lastFindings(e, gone), `"missing-source"`) })
}

// TestProposedFindings: what lint would say of the pages as proposed is said before they are applied (case o-lw-01).
func TestProposedFindings(t *testing.T) {
	root := newWiki(t, map[string]string{"concepts/a.md": "# A\n\n[[b]]\n", "concepts/b.md": "# B\n\n[[a]] [[nowhere]]\n"})
	e := session(t, realHost(t, "printf '```markdown\\n# A\\n\\n[[b]] text\\n```\\n' > concepts/a.md; echo '[[a]] more' >> concepts/b.md"), lsptest.Options{Root: root, Profile: lsptest.VSCode(), Init: withMessage})
	run := ingest(t, e, root)
	until(t, e, run, proposal.Proposed)
	page, other := filepath.Join(root, "concepts/a.md"), ""
	e.Until("the finding", func() bool {
		last := lastFindings(e, page)
		other = lastFindings(e, filepath.Join(root, "concepts/b.md")) // under the editor's lock
		return strings.Contains(last, `"page-in-code-fence"`) && strings.Contains(last, "proposed: concepts/a.md")
	})
	if strings.Contains(other, "proposed: ") {
		t.Errorf("what was wrong before is no news: %s", other)
	}
}
