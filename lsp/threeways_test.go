package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rigwiki/rig/lsp/lsptest"
	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
)

// conflictCopy is what a sync tool left; it is no page, so that no proposal has one.
const conflictCopy = "concepts/aka.sync-conflict-20260102-030405-ABCDEFG.md"

// twin is long enough for pages that have it to be told as nearly the same.
func twin() string {
	var out strings.Builder
	for i := range 120 {
		fmt.Fprintf(&out, "word%d stone%d\n", i*7, i)
	}
	return out.String()
}

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
		"concepts/title.md": "---\ntitle: [a, b]\n---\ntext\n", "concepts/aka.md": "---\naliases: also, known\n---\n# Aka\n\n| a | b |\n|---|---|\n| [[tea|Tea]] | [[tea\\|Tea]] |\n",
		"sources/drift.md": "---\nsource-path: raw/src.md\nsource-sha: 0000\n---\n# D\n", "concepts/twin.md": "# Twin\n\n" + twin(), "entities/other.md": "# Other\n\n" + twin() + "And one more line.\n",
		conflictCopy: "# Aka\n\nas it was elsewhere\n",
	}
}

// TestThreeWaysToLint: a terminal, an editor and a proposal of the same texts find the same.
func TestThreeWaysToLint(t *testing.T) {
	host := realHost(t, "exit 0")
	d := &study{t: t, root: filepath.Join(t.TempDir(), "wiki"), enc: "utf-8"}
	for rel, text := range awkwardWiki() {
		write(t, d.path(rel), text)
	}
	d.e = session(t, host, lsptest.Options{Root: d.root, Profile: full("utf-8")})
	w, err := wiki.Find(filepath.Join(d.root, "index.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules := host.LintRules(w)
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
		"page-in-code-fence", "placeholder-text", "tags-not-list", "title-not-text", "toml-frontmatter", "type-directory-mismatch", "unknown-directory", "ambiguous-link", "aliases-not-list", "near-duplicate-page",
		"one-sided-contradiction", "raw-drift", "missing-source", "sync-conflict", "unescaped-pipe"} {
		if !codes[code] {
			t.Errorf("the wiki has no %s", code)
		}
	}
	texts := map[string][]byte{}
	for rel, text := range awkwardWiki() {
		if isPage(rel) && rel != conflictCopy {
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
	inProposal[conflictCopy] = inTerminal[conflictCopy]
	eventually(t, "the full text", func() bool {
		return slices.ContainsFunc(d.pullWhole("concepts/twin.md"), func(f wholeFinding) bool { return f.Code == "near-duplicate-page" })
	})
	texts[conflictCopy] = nil
	for rel := range texts {
		for name, got := range map[string][]string{"an editor": d.inEditor(rel), "a proposal": inProposal[rel]} {
			if want := inTerminal[rel]; !slices.Equal(got, want) {
				t.Errorf("%s, %s:\n%s\nin a terminal:\n%s", rel, name, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

func (d *study) inEditor(rel string) (out []string) {
	d.t.Helper()
	severities := map[int]lint.Severity{1: lint.Error, 2: lint.Warning, 4: lint.Hint}
	for _, f := range d.pullWhole(rel) {
		out = append(out, fmt.Sprintf("%s %s %s", f.Code, severities[f.Severity], f.Message))
	}
	return out
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
