package lsp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// randomWiki gives pages in a few folders, some of the same name, that link to each other in every form.
func randomWiki(rng *rand.Rand) map[string]string {
	folders := []string{"", "a/", "b/", "a/c/"}
	names := []string{"tea", "Tea Pot", "café", "x(1)", "it's", "50% off"}
	var paths []string
	taken := map[string]bool{}
	for range 4 + rng.IntN(6) {
		p := folders[rng.IntN(len(folders))] + names[rng.IntN(len(names))] + ".md"
		if !taken[p] {
			taken[p] = true
			paths = append(paths, p)
		}
	}
	pages := map[string]string{}
	for i, p := range paths {
		var b strings.Builder
		if rng.IntN(3) == 0 {
			fmt.Fprintf(&b, "---\naliases: [alias %d]\nrel: \"[[%s]]\"\n---\n", i, strings.TrimSuffix(paths[rng.IntN(len(paths))], ".md"))
		}
		fmt.Fprintf(&b, "# Page %d \U0001F600\n\n", i)
		for range rng.IntN(6) {
			b.WriteString(randomLink(rng, p, paths) + "\n")
		}
		pages[p] = b.String()
	}
	return pages
}

func randomLink(rng *rand.Rand, from string, paths []string) string {
	n := rng.IntN(len(paths))
	to := paths[n]
	bare := strings.TrimSuffix(to, ".md")
	near := relativeTo(path.Dir(from), to)
	escaped := strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29").Replace
	forms := []string{"[[" + bare + "]]", "[[" + stemOf(to) + "]]", "[[" + stemOf(to) + "|text]]", "![[/" + to + "#Page]]", "[[" + strings.ToUpper(stemOf(to)) + "]]",
		"| [[" + bare + "\\|t]] |", "[m](" + escaped(near) + "#x)", "[m](<" + strings.ReplaceAll(near, "%", "%25") + ">)", "[m](/" + escaped(to) + " \"t\")", "[m](" + escaped(to) + ")",
		fmt.Sprintf("[[alias %d]]", n), "[[" + relativeTo(path.Dir(from), bare) + "]]", "[[nowhere]]",
		"[[wrong/" + stemOf(to) + "]]", "[[" + strings.ReplaceAll(stemOf(to), " ", "-") + "]]"}
	return forms[rng.IntN(len(forms))]
}

// meanings gives for each page where its links lead, in order.
func meanings(t *testing.T, x *index.Index) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, rel := range x.Paths() {
		page, ok := x.Page(rel)
		if !ok {
			t.Fatal(rel)
		}
		for _, l := range page.Links {
			to := ""
			if found := x.ResolveLink(rel, l); len(found) > 0 {
				to = found[0].Path
			}
			out[rel] = append(out[rel], to)
		}
	}
	return out
}

func openIndex(t *testing.T, root string) *index.Index {
	t.Helper()
	x, err := index.Open(context.Background(), index.Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// TestMovesKeepMeanings moves pages of random wikis to random places: each link leads to the same page as before, and each page that was not moved
// and links to none that was keeps its bytes.
func TestMovesKeepMeanings(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		pages := randomWiki(rng)
		root := t.TempDir()
		for rel, text := range pages {
			write(t, filepath.Join(root, rel), text)
		}
		w := &wiki.Wiki{Root: root, Real: root, ID: "x", Layout: wiki.Links}
		x := openIndex(t, root)
		before := meanings(t, x)
		m := &moving{spot: spot{s: &server{editor: editor{docs: newDocuments()}}, w: w, x: x}, moves: map[string]string{}}
		all := x.Paths()
		from := all[rng.IntN(len(all))]
		to := []string{"a/", "b/", "", "d/e/"}[rng.IntN(4)] + []string{"tea", "new name", "café", "n(2)", "o'k", "100%"}[rng.IntN(6)] + ".md"
		if _, exists := pages[to]; exists {
			continue
		}
		m.moves[from] = to
		plan, err := m.plan(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		after := t.TempDir()
		for rel, text := range pages {
			name := rel
			for _, f := range plan {
				if f.Path == rel || f.From == rel {
					text = string(replaced(f.Before, f.Edits))
					if f.Kind == proposal.Rename {
						name = f.Path
					}
				}
			}
			write(t, filepath.Join(after, name), text)
		}
		now := meanings(t, openIndex(t, after))
		for rel, want := range before {
			got := now[m.to(rel)]
			for i := range want {
				wanted := m.to(want[i])
				if want[i] == "" {
					continue // what led nowhere may lead to the new name
				}
				if i >= len(got) || got[i] != wanted {
					t.Errorf("seed %d: %s -> %s: link %d of %s leads to %q, want %q\nbefore %q\nafter  %q", seed, from, to, i, rel, got, wanted, pages[rel],
						read(t, filepath.Join(after, m.to(rel))))
					break
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}
