package wiki

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files (a name that ends in "/" is a folder) and returns the folder, links resolved.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := resolve(t.TempDir())
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(p, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, []byte(text), 0o644))
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	tests := []struct {
		name   string
		files  []string
		from   string
		root   string // "-": none
		layout Layout
		wiki   string
	}{
		{"config", []string{".rig/config.yml=name: tea\nroot: .\n", "concepts/a.md"}, "concepts/a.md", ".", Flat, "tea"},
		{"config moves the root", []string{".rig/config.yml=root: docs/kb\n", "docs/kb/raw/"}, "src/x.go", "docs/kb", Flat, "kb"},
		{"a page that is not yet there", []string{".rig/config.yml=", "raw/"}, "concepts/new/page.md", ".", Flat, ""},
		{"rig-wiki beside the code", []string{"rig-wiki/.rig/config.yml=name: p\n", "src/x.go"}, "src/x.go", "rig-wiki", Flat, "p"},
		{"config before rig-wiki", []string{".rig/config.yml=name: outer\n", "rig-wiki/.rig/config.yml=name: inner\n"}, "x.md", ".", Flat, "outer"},
		{"schema beside raw", []string{"schema.md", "raw/", "entities/e.md"}, "entities/e.md", ".", Flat, ""},
		{"schema beside purpose", []string{"schema.md", "purpose.md", "x.md"}, "x.md", ".", Flat, ""},
		{"schema alone", []string{"schema.md", "x.md"}, "x.md", "-", "", ""},
		{"v0", []string{"harness/llm-wiki/schema.md", "harness/llm-wiki/wiki/concepts/a.md", "src/x"}, "src/x", "harness/llm-wiki", V0, ""},
		{"v0 from within", []string{"harness/llm-wiki/schema.md", "harness/llm-wiki/raw/", "harness/llm-wiki/wiki/concepts/a.md"}, "harness/llm-wiki/wiki/concepts/a.md", "harness/llm-wiki", V0, ""},
		{"plain", []string{"raw/", "wiki/a.md", "CLAUDE.md"}, "wiki/a.md", ".", Plain, ""},
		{"plain with AGENTS.md", []string{"raw/", "wiki/a.md", "AGENTS.md"}, "raw/s.md", ".", Plain, ""},
		{"markdown", []string{"a.md", "b/c.md"}, "b/c.md", "-", "", ""},
		{"nearest wins", []string{".rig/config.yml=name: outer\n", "sub/.rig/config.yml=name: inner\n", "sub/a.md"}, "sub/a.md", "sub", Flat, "inner"},
		{"a wiki in raw is a source", []string{".rig/config.yml=name: outer\n", "raw/clone/.rig/config.yml=name: inner\n", "raw/clone/raw/a.md"}, "raw/clone/raw/a.md", ".", Flat, "outer"},
		{"raw-notes is not raw", []string{".rig/config.yml=name: outer\n", "raw-notes/.rig/config.yml=name: inner\n"}, "raw-notes/a.md", "raw-notes", Flat, "inner"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.files...)
			w, err := Find(filepath.Join(dir, tt.from))
			if tt.root == "-" {
				if !errors.Is(err, ErrNotAWiki) {
					t.Fatalf("Find: %+v, %v; want ErrNotAWiki", w, err)
				}
				return
			}
			must(t, err)
			name := tt.wiki
			if name == "" {
				name = defaultName(filepath.Join(dir, tt.root))
			}
			if w.Root != filepath.Join(dir, tt.root) || w.Layout != tt.layout || w.Name != name {
				t.Errorf("Find: root %s layout %s name %s; want %s %s %s", w.Root, w.Layout, w.Name, filepath.Join(dir, tt.root), tt.layout, name)
			}
		})
	}
}

func TestFindReadsLayout(t *testing.T) {
	tests := []struct {
		name          string
		files         []string
		pages, schema string
		human, shared []string
	}{
		{name: "flat", files: []string{"schema.md", "raw/", "CLAUDE.md"}, pages: "", schema: "schema.md",
			human: []string{"raw", "purpose.md", "schema.md"}, shared: []string{"index.md", "overview.md", "log.md", "reviews.md"}},
		{name: "v0", files: []string{"schema.md", "raw/", "wiki/sources/", "log.md"}, pages: "wiki", schema: "schema.md",
			human: []string{"raw", "purpose.md", "schema.md"}, shared: []string{"wiki/index.md", "wiki/overview.md", "log.md", "wiki/reviews.md"}},
		{name: "plain", files: []string{"raw/", "wiki/index.md", "AGENTS.md"}, pages: "wiki", schema: "AGENTS.md",
			human: []string{"raw", "purpose.md", "schema.md", "AGENTS.md"}, shared: []string{"wiki/index.md", "wiki/overview.md", "wiki/log.md", "wiki/reviews.md"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := Find(tree(t, tt.files...))
			must(t, err)
			if w.Pages != tt.pages || w.Schema != tt.schema || !slices.Equal(w.Human, tt.human) || !slices.Equal(w.Shared, tt.shared) {
				t.Errorf("got pages %q schema %q human %q shared %q", w.Pages, w.Schema, w.Human, w.Shared)
			}
		})
	}
}

func TestFindNeverTakesHome(t *testing.T) {
	home := tree(t, "home/ana/.rig/config.yml=", "home/ana/schema.md", "home/ana/raw/", "home/ana/notes/x.md", "home/ana/w/.rig/config.yml=")
	t.Setenv("HOME", filepath.Join(home, "home", "ana"))
	for _, from := range []string{"home/ana", "home/ana/notes/x.md"} {
		if w, err := Find(filepath.Join(home, from)); !errors.Is(err, ErrNotAWiki) {
			t.Errorf("Find(%s): %+v, %v; want ErrNotAWiki", from, w, err)
		}
	}
	if _, err := Find(filepath.Join(home, "home/ana/w/a.md")); err != nil {
		t.Errorf("a wiki below home: %v", err)
	}
	for _, dir := range []string{"/", filepath.Join(home, "home"), filepath.Join(home, "home/ana")} {
		if _, err := Folder(dir); !errors.Is(err, ErrNotAWiki) {
			t.Errorf("Folder(%s): %v; want ErrNotAWiki", dir, err)
		}
	}
	w, err := Folder(filepath.Join(home, "home/ana/notes"))
	if err != nil || w.Layout != Links || w.Name != "notes" {
		t.Errorf("Folder of plain markdown: %+v, %v", w, err)
	}
}

// o-ls-08: the wiki is opened through a link.
func TestFindKeepsSpelling(t *testing.T) {
	dir := tree(t, "data/wiki-real/raw/s.md", "data/wiki-real/schema.md", "data/wiki-real/a.md", "home/")
	link := filepath.Join(dir, "home", "wiki")
	must(t, os.Symlink("../data/wiki-real", link))
	w, err := Find(filepath.Join(link, "a.md"))
	must(t, err)
	if w.Root != link || w.Real != filepath.Join(dir, "data", "wiki-real") || w.Path("a.md") != filepath.Join(link, "a.md") {
		t.Errorf("root %s real %s", w.Root, w.Real)
	}
	other, err := Find(filepath.Join(dir, "data/wiki-real"))
	must(t, err)
	if other.ID != w.ID {
		t.Errorf("two spellings have two ids: %s, %s", w.ID, other.ID)
	}
	if rel, ok := w.Rel(filepath.Join(link, "raw", "s.md")); rel != "raw/s.md" || !ok || !w.IsHuman(rel) {
		t.Errorf("Rel through the link: %q %v", rel, ok)
	}
	must(t, os.Symlink("raw", filepath.Join(w.Real, "disguise")))
	if rel, _ := w.Rel(filepath.Join(link, "disguise", "new.md")); rel != "raw/new.md" {
		t.Errorf("Rel through a link to raw/: %q", rel)
	}
	must(t, os.Symlink(dir, filepath.Join(w.Real, "away")))
	if rel, ok := w.Rel(filepath.Join(link, "away", "x.md")); ok {
		t.Errorf("Rel of what leaves the wiki: %q", rel)
	}
	// Opened through a link to a page folder, the wiki is found by its real path.
	must(t, os.Symlink("../data/wiki-real/raw", filepath.Join(dir, "home", "sources")))
	if w, err := Find(filepath.Join(dir, "home", "sources", "s.md")); err != nil || w.Root != w.Real {
		t.Errorf("through a link to a folder of it: %+v, %v", w, err)
	}
}

// o-ls-14: folders that share a beginning.
func TestRelAtComponentBoundaries(t *testing.T) {
	var c struct {
		WorkspaceFolders []string
		Documents        []struct {
			URI    string
			Folder *int
		}
	}
	text, err := os.ReadFile("testdata/o-ls-14.json")
	must(t, err)
	must(t, json.Unmarshal(text, &c))
	path := func(uri string) string {
		u, err := url.Parse(uri)
		must(t, err)
		return u.Path
	}
	for _, d := range c.Documents {
		for i, f := range c.WorkspaceFolders {
			w := &Wiki{Root: path(f), Real: path(f)}
			if _, ok := w.Rel(path(d.URI)); ok != (d.Folder != nil && *d.Folder == i) {
				t.Errorf("%s in %s: %v", d.URI, f, ok)
			}
		}
	}
}

func TestFindRefusesRootElsewhere(t *testing.T) {
	for _, root := range []string{"..", "/etc", "a/../.."} {
		dir := tree(t, "w/.rig/config.yml=name: x\nroot: "+root+"\n")
		_, err := Find(filepath.Join(dir, "w"))
		var c *ConfigError
		if !errors.As(err, &c) || c.Line != 2 {
			t.Errorf("root %s: %v", root, err)
		}
	}
}

func TestIDIsAFileName(t *testing.T) {
	for name, want := range map[string]string{"go-design": "go-design-", "../../etc": "etc-", "My Wiki": "My-Wiki-", "茶": "茶-", "///": "wiki-"} {
		w := &Wiki{Real: "/v/w"}
		w.setName(name)
		if !strings.HasPrefix(w.ID, want) || len(w.ID) != len(want)+8 || strings.ContainsAny(w.ID, "/ ") {
			t.Errorf("ID of %q: %q", name, w.ID)
		}
	}
}
