package index

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestHits proves that a search finds what it found before, in the same order and with the same scores, passages and lines: on the questions of
// testdata/go-design.questions, on words drawn from the pages, and on words with a typing mistake. A change of the ranking is a change of testdata/go-design.hits.
func TestHits(t *testing.T) {
	root, dir := designWiki(t), t.TempDir()
	asked := askedFor(t, root)
	settle() // what is read in the tick in which it was written is read again, and then counts twice
	x := open(t, root, dir)
	got := hitsOf(x, asked)
	const golden = "testdata/go-design.hits"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error(firstDifference(string(got), string(want)))
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, root, dir) // as kept
	if got := hitsOf(again, asked[:20]); !bytes.HasPrefix(want, got) {
		t.Error("opened again: ", firstDifference(string(got), string(want)))
	}
}

// askedFor gives queries drawn from the pages, then the questions.
func askedFor(t *testing.T, root string) (out []string) {
	rng := rand.New(rand.NewPCG(7, 11))
	paths, err := filepath.Glob(filepath.Join(root, "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 80 {
		text, err := os.ReadFile(paths[rng.IntN(len(paths))])
		if err != nil {
			t.Fatal(err)
		}
		words := wordRE.FindAllString(string(text), -1)
		if len(words) == 0 {
			continue
		}
		var q []string
		for range 1 + rng.IntN(4) {
			q = append(q, words[rng.IntN(len(words))])
		}
		if i%5 == 0 && len(q[0]) > 4 { // mistyped
			q[0] = q[0][:2] + q[0][3:]
		}
		out = append(out, strings.Join(q, " "))
	}
	for _, q := range questions(t) {
		out = append(out, q.text)
	}
	return out
}

// hitsOf is a line a query: a digest of all that its hits say, then the first three.
func hitsOf(x *Index, queries []string) []byte {
	var out bytes.Buffer
	for _, q := range queries {
		h := sha256.New()
		var first []string
		for i, hit := range x.Search(q, 10) {
			fmt.Fprintf(h, "%+v\n", hit)
			if i < 3 {
				first = append(first, hit.Path)
			}
		}
		fmt.Fprintf(&out, "%x %s | %s\n", h.Sum(nil)[:6], strings.Join(first, " "), q)
	}
	return out.Bytes()
}
