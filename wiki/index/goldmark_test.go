package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// TestAgainstGoldmark compares markdown links and headings with goldmark's on texts without what CommonMark does not know.
func TestAgainstGoldmark(t *testing.T) {
	texts := []string{
		"# A\n\ntext [a](b.md) and `[no](x)` [c](<d e> 'f')\n\n> # Q\n> [x](y)\nlazy [z](w)\n",
		"- a [b](c)\n  - d [e](f)\n\n      code [no](x)\n\n    para [g](h)\n",
		"1. x\n\n   ```\n   [no](x)\n   ```\n\n2. [y](z)\n\nText\n---\n\n* * *\n\n[a](b(c)d) [a](b(c d) [\\]](e)\n",
		"[foo *bar](baz*) ![i](j \"k\") [l [m](n) o](p) [q\nr](s)\n\n[t](u\nv) [w](\n  x\n  \"y\"\n)\n",
		"<pre>\n[no](x)\n</pre>\n\n``` info `x\n[a](b)\n\n~~~ x ` y\n[no](x)\n~~~\n",
		"[a]: b 'c'\n[d]: <e>\n'f'\n\ntext\n[g]: h\n\n-   x\n\n\ty [i](j)\n\n10) [k](l)\n",
	}
	for _, s := range texts {
		src := []byte(s)
		var want, got []string
		doc := goldmark.DefaultParser().Parse(text.NewReader(src))
		_ = ast.Walk(doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
			if !enter {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Heading:
				want = append(want, fmt.Sprintf("h%d", n.Level))
			case *ast.Link:
				if n.Reference == nil {
					want = append(want, string(n.Destination))
				}
			case *ast.Image:
				want = append(want, string(n.Destination))
			}
			return ast.WalkContinue, nil
		})
		p := ParsePage(src)
		for _, h := range p.Headings {
			got = append(got, fmt.Sprintf("h%d", h.Level))
		}
		for _, l := range p.Links {
			if s[l.Start] == '[' && l.Alias != "" && strings.HasPrefix(s[l.Start:], "["+l.Alias+"]:") {
				continue
			}
			got = append(got, l.Target)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", s, got, want)
		}
	}
}
