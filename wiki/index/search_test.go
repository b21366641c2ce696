package index

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func found(x *Index, terms string) []string {
	out := []string{}
	for _, h := range x.Search(terms, 10) {
		out = append(out, h.Path)
	}
	return out
}

func TestAnyTextIsAQuery(t *testing.T) { // o-lw-09
	var queries []struct {
		Q    string
		Want []string
	}
	if err := json.Unmarshal(caseText(t, "o-lw-09/queries.json"), &queries); err != nil {
		t.Fatal(err)
	}
	x := open(t, "testdata/cases/o-lw-09/wiki", "")
	for _, q := range queries {
		got := found(x, q.Q)
		for _, want := range q.Want {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %v, want %s", q.Q, got, want)
			}
		}
		if len(q.Want) == 0 && len(got) > 0 {
			t.Errorf("%q: %v, want nothing", q.Q, got)
		}
	}
}

func TestSearchWithoutBlanks(t *testing.T) { // o-lw-10
	x := open(t, "testdata/cases/o-lw-10/wiki", t.TempDir())
	for q, want := range map[string]string{
		"换盆": "spring.md", "浇水": "spring.md", "gen-sync": "queue.md", "sync": "queue.md", "队列": "queue.md", "植え替え": "ja.md",
		"クラウド": "ja.md", "三月": "ja.md spring.md", "repotting": "en.md", "春": "ja.md spring.md", "盆": "spring.md", "🌱": "", "\"": "",
	} {
		got := found(x, q)
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", q, s, want)
		}
	}
}

func TestSearchRanks(t *testing.T) {
	x := open(t, lay(t, map[string]string{
		"sources/kiln.md": "---\ntitle: Kiln\naliases: [Brennofen]\n---\n# Kiln\nIt burns.\n\n## Cone table\n\nWitness cones bend at a temperature.\n",
		"raw/kiln.md":     "Kiln kiln kiln cones bend at a temperature", "concepts/glaze.md": "# Glaze\nA kiln melts it. Café crème.\n\n```\nx := thermocouple\n```\n",
		"entities/c.md": "# C++ and C\nlanguage", "entities/go.md": "# Go\nlanguage C", "long.md": "# Long\n" + strings.Repeat("word ", 500) + "needle " + strings.Repeat("word ", 500),
	}), "")
	for _, tt := range []struct{ q, want string }{
		{"kiln", "sources/kiln.md concepts/glaze.md raw/kiln.md"}, {"brennofen", "sources/kiln.md"}, {"Brenofen", "sources/kiln.md"}, {"klin", "sources/kiln.md concepts/glaze.md raw/kiln.md"},
		{"cafe creme", "concepts/glaze.md"}, {"CAFÉ", "concepts/glaze.md"}, {"thermocouple", "concepts/glaze.md"}, {"thermoc", "concepts/glaze.md"},
		{"C++", "entities/c.md entities/go.md"}, {"what is the temperature of cones?", "sources/kiln.md raw/kiln.md"}, {"zzzz", ""},
	} {
		got := strings.Join(found(x, tt.q), " ")
		if tt.q == "kiln" { // the raw source comes after the page about it, wherever the other one stands
			if !strings.HasPrefix(got, "sources/kiln.md ") {
				t.Errorf("%s: %s", tt.q, got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.q, got, tt.want)
		}
	}
	h := x.Search("witness cones", 1)[0]
	if h.Title != "Kiln" || h.Heading != "Cone table" || h.Snippet != "Witness cones bend at a temperature." {
		t.Errorf("%+v", h)
	}
	if h := x.Search("needle", 1)[0]; !strings.Contains(h.Snippet, "needle") || len(h.Snippet) > 320 {
		t.Errorf("%+v", h)
	}
	x.SetBuffer("concepts/glaze.md", []byte("# Glaze\nnew words: quartz"))
	if got := found(x, "quartz"); fmt.Sprint(got) != "[concepts/glaze.md]" {
		t.Errorf("buffer: %v", got)
	}
	if got := found(x, "thermocouple"); len(got) != 0 {
		t.Errorf("the buffer's page is found by its text on disk: %v", got)
	}
}

func FuzzQuery(f *testing.F) {
	x, err := Open(f.Context(), Options{Root: "testdata/cases"})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"a b", "\"x", "C++", "换", "-", "é", "\xff\xfe", "\u202e", strings.Repeat("a", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, q string) {
		for _, h := range x.Search(q, 3) {
			if h.Path == "" || h.Score <= 0 {
				t.Fatalf("%q: %+v", q, h)
			}
		}
		x.Resolve("a.md", q)
		x.Similar(q, q, []string{q})
	})
}

func TestNames(t *testing.T) {
	x := open(t, lay(t, map[string]string{
		"concepts/Tea Pot.md": "# Tea pot", "concepts/teapots.md": "# Pots", "concepts/steam.md": "# Steam", "raw/tea.md": "x", "assets/tea.png": "x",
		"entities/ana.md": "---\ntitle: Ana\naliases: [Tealady]\n---\n", "étude.md": "",
	}), "")
	x.SetBuffer("tea.md", []byte("# Tea"))
	for part, want := range map[string]string{
		"tea": "tea.md concepts/Tea Pot.md concepts/teapots.md entities/ana.md raw/tea.md concepts/steam.md assets/tea.png", "POT": "concepts/teapots.md concepts/Tea Pot.md",
		"Étu": "étude.md", "zz": "", "entities/": "entities/ana.md",
	} {
		var got []string
		for _, n := range x.Names(part, 10) {
			got = append(got, n.Path)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %s, want %s", part, s, want)
		}
	}
	if n := x.Names("teal", 1); len(n) != 1 || n[0].Alias != "Tealady" || n[0].Title != "Ana" {
		t.Errorf("%+v", n)
	}
	if n := x.Names("", 3); len(n) != 3 {
		t.Errorf("%+v", n)
	}
}
