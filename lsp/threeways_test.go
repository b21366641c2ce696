package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
)

// awkwardWiki has something of every finding, in texts of every line ending.
func awkwardWiki() map[string]string {
	return map[string]string{
		"schema.md": "# Schema\n\n| type | directory |\n|---|---|\n| concept | concepts/ |\n| entity | entities/ |\n", "purpose.md": "# P\n", "raw/src.md": "x",
		"index.md": "# Index\n- [[tea]]\n- [[gone]]\n- Kettle — pot\n- [[dup]]\n- gone-too.md\n", "log.md": "# Log\n\n## 2026-02-01 — a\n\n## 2026-01-01 — b\n",
		"reviews.md": "# Reviews\n\n- [ ] open one\n- [x] done\n", "overview.md": "# O\n",
		"concepts/tea.md":    "\ufeff---\r\ntitle: Tea: all\r\ntags: a, b\r\nsources: [raw/none.md, raw/src.md]\r\n---\r\n# Tea\r\n\r\n[[Kettle]] [[nope]] ![[no.png]] [[kettle#No]] [[kettle#^no]] [m](../entities/kettle.md#no) [[wrong/kettle]]\r\n",
		"entities/kettle.md": "# Kettle\r\r[[tea]] [[dup]]\r", "concepts/empty.md": "---\ntype: concept\n---\n", "concepts/Empty.md": "---\ntype: concept\n---\nx\n",
		"concepts/fence.md": "```md\n# T\n```\n", "concepts/two.md": "---\na: 1\n---\n---\nb: 2\n---\ntext\n", "concepts/toml.md": "+++\ntitle = \"T\"\n+++\ntext\n",
		"concepts/typed.md": "---\ntype: entity\n---\n# Typed\n", "concept/near.md": "# Near\n", "concepts/dup.md": "# Dup\n", "entities/dup.md": "# Dup\n", "entities/dups.md": "# Dups\n",
		"concepts/says.md": "# Says\n\n> [!contradiction] no, see [[tea]]\n\nTODO\n\n... (28 more entries unchanged)\n", "concepts/con.md": "# Con\n", "sources/src.md": "---\nsource-path: raw/gone.md\n---\n# S\n",
		"concepts/title.md": "---\ntitle: [a, b]\n---\ntext\n",
	}
}

// TestThreeWaysToLint: a terminal, an editor and a proposal of the same texts find the same.
func TestThreeWaysToLint(t *testing.T) {
	d := newStudy(t, full("utf-8"), "", awkwardWiki())
	w, err := wiki.Find(filepath.Join(d.root, "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules := wiki.LintRules(w)
	x := openIndex(t, d.root)
	terminal, err := lint.All(context.Background(), x, rules)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	inTerminal := map[string][]string{}
	for _, f := range terminal {
		codes[f.Code] = true
		inTerminal[f.Path] = append(inTerminal[f.Path], fmt.Sprintf("%s %s %s", f.Code, f.Severity, f.Message))
	}
	for _, code := range []string{"bad-source", "broken-block", "broken-embed", "broken-heading", "broken-link", "case-collision", "contradiction", "duplicate-frontmatter", "duplicate-page", "empty-page",
		"frontmatter-yaml", "index-dead-entry", "index-missing-page", "index-plain-entry", "log-order", "missing-front-matter", "non-canonical-link", "non-portable-name", "only-in-index", "open-review", "orphan",
		"page-in-code-fence", "placeholder-text", "tags-not-list", "title-not-text", "toml-frontmatter", "type-directory-mismatch", "unknown-directory", "ambiguous-link"} {
		if !codes[code] {
			t.Errorf("the wiki has no %s", code)
		}
	}
	texts := map[string][]byte{}
	for rel, text := range awkwardWiki() {
		if isPage(rel) {
			texts[rel] = []byte(text)
		}
	}
	inProposal := map[string][]string{}
	openIndex(t, t.TempDir()).With(texts, func(y *index.Index) {
		for rel := range texts {
			for _, f := range lint.Page(y, rules, rel) {
				inProposal[rel] = append(inProposal[rel], fmt.Sprintf("%s %s %s", f.Code, f.Severity, f.Message))
			}
		}
	})
	severities := map[int]lint.Severity{1: lint.Error, 2: lint.Warning, 4: lint.Hint}
	for rel := range texts {
		var inEditor []string
		for _, f := range d.pullWhole(rel) {
			inEditor = append(inEditor, fmt.Sprintf("%s %s %s", f.Code, severities[f.Severity], f.Message))
		}
		for name, got := range map[string][]string{"an editor": inEditor, "a proposal": inProposal[rel]} {
			if want := inTerminal[rel]; !slices.Equal(got, want) {
				t.Errorf("%s, %s:\n%s\nin a terminal:\n%s", rel, name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

type wholeFinding struct {
	Code, Message string
	Severity      int
}

func (d *study) pullWhole(rel string) []wholeFinding {
	d.t.Helper()
	var got struct{ Items []wholeFinding }
	if err := d.ask("textDocument/diagnostic", rel, "", nil, &got); err != nil {
		d.t.Fatal(err)
	}
	return got.Items
}
