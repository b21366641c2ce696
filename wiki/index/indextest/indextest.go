package indextest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Options says what wiki is wanted. Zero fractions mean none.
type Options struct {
	Pages        int     // besides raw/, which gets a tenth as many
	Folders      int     // 0: as a real wiki of that size has (664 at 100,000 pages)
	Seed         uint64  // of all choices
	Unresolved   float64 // of links: 0.04 as a rule, 0.45 at worst
	Multilingual bool    // 60 % of names non-ASCII, 84 % with spaces, 49 % of links with alias, 16 % embeds
}

// Write lays a wiki into dir, which is made where it is missing, and gives the paths of its pages, raw/ last.
func Write(dir string, o Options) ([]string, error) {
	g := newGenerator(o)
	for i, rel := range g.paths {
		file := filepath.Join(dir, filepath.FromSlash(rel))
		if i == 0 || filepath.Dir(rel) != filepath.Dir(g.paths[i-1]) {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return nil, err
			}
		}
		if err := os.WriteFile(file, g.page(i), 0o644); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"purpose.md": "# Purpose\n", "schema.md": "# Schema\n", "index.md": "# Index\n", "log.md": "# Log\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return g.paths, nil
}

type generator struct {
	Options
	rng   *rand.Rand
	words []string
	paths []string
	names []string // without folder and .md
}

var kinds = []string{"sources", "entities", "concepts", "synthesis", "queries"}

func newGenerator(o Options) *generator {
	if o.Folders == 0 {
		o.Folders = max(6, o.Pages*664/100_000)
	}
	g := &generator{Options: o, rng: rand.New(rand.NewPCG(o.Seed, 17))}
	seen := map[string]bool{}
	for len(g.words) < 60_000 {
		if w := g.word(); !seen[w] {
			seen[w] = true
			g.words = append(g.words, w)
		}
	}
	for i := range o.Pages {
		folder := i * o.Folders / max(1, o.Pages)
		kind := kinds[folder%len(kinds)]
		if folder >= len(kinds) {
			kind = fmt.Sprintf("%s/%s-%d", kind, g.words[folder%1000], folder)
		}
		g.add(kind, i)
	}
	for i := range o.Pages / 10 {
		g.add("raw", o.Pages+i)
	}
	return g
}

func (g *generator) add(folder string, i int) {
	sep, name := "-", g.Word()
	if g.Multilingual && g.rng.Float64() < 0.84 {
		sep = " "
	}
	for range 1 + g.rng.IntN(3) {
		name += sep + g.Word()
	}
	if g.Multilingual && g.rng.Float64() < 0.6 {
		name += sep + g.foreign()
	}
	if g.rng.Float64() < 0.7 { // the others may share their base name with a page elsewhere
		name += fmt.Sprintf("%s%d", sep, i)
	}
	g.names = append(g.names, name)
	g.paths = append(g.paths, folder+"/"+name+".md")
}

const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"

func (g *generator) word() string {
	var b []byte
	for range 1 + g.rng.IntN(4) {
		b = append(b, consonants[g.rng.IntN(len(consonants))], vowels[g.rng.IntN(len(vowels))])
	}
	if g.rng.IntN(2) == 0 {
		b = append(b, consonants[g.rng.IntN(len(consonants))])
	}
	return string(b)
}

func (g *generator) foreign() string {
	base := []rune("дéüñ知識庫検索엔진")
	out := make([]rune, 2+g.rng.IntN(3))
	for i := range out {
		out[i] = base[g.rng.IntN(len(base))]
	}
	return string(out)
}

// Word gives a word by Zipf's law.
func (g *generator) Word() string {
	return g.words[min(len(g.words)-1, int(math.Pow(float64(len(g.words)), g.rng.Float64()))-1)]
}

func (g *generator) page(i int) []byte {
	var b bytes.Buffer
	size := int(2500 * math.Exp(g.rng.NormFloat64()*0.97))
	size = min(max(size, 80), 2<<20)
	name := g.names[i]
	if g.rng.Float64() < 0.95 {
		fmt.Fprintf(&b, "---\ntitle: %s\ntype: %s\ntags: [%s, %s]\nsources: [%s]\nlast-updated: 2026-05-%02d\n", name, kinds[i%len(kinds)], g.Word(), g.Word(), g.names[i/2], 1+i%28)
		if i%5 == 0 {
			fmt.Fprintf(&b, "aliases: [\"%s %s\"]\n", g.Word(), name)
		}
		b.WriteString("---\n")
	}
	fmt.Fprintf(&b, "# %s\n\n", name)
	links := 10
	for n := 0; b.Len() < size; n++ {
		if n%4 == 3 {
			fmt.Fprintf(&b, "## %s %s\n\n", g.Word(), g.Word())
		}
		for w := range 30 + g.rng.IntN(50) {
			b.WriteString(g.Word())
			if links > 0 && w%25 == 24 {
				links--
				b.WriteByte(' ')
				b.WriteString(g.link())
			}
			b.WriteByte(" .\n  "[g.rng.IntN(5)])
			b.WriteByte(' ')
		}
		b.WriteString("\n\n")
	}
	if g.rng.Float64() < 0.0075 {
		return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\r\n"))
	}
	return b.Bytes()
}

func (g *generator) link() string {
	j := g.rng.IntN(len(g.names))
	target := g.names[j]
	switch {
	case g.rng.Float64() < g.Unresolved:
		target = "missing " + g.Word()
	case g.rng.IntN(3) == 0:
		target = g.paths[j][:len(g.paths[j])-len(".md")]
	}
	if g.Multilingual && g.rng.Float64() < 0.49 {
		target += "|" + g.Word()
	}
	if g.Multilingual && g.rng.Float64() < 0.16 {
		return "![[" + target + "]]"
	}
	return "[[" + target + "]]"
}
