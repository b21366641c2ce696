package wiki

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write golden files")

func TestInit(t *testing.T) {
	dir := filepath.Join(tree(t, "x/"), "x", "tea")
	w, made, err := Init(dir, InitOptions{})
	must(t, err)
	if w.Root != dir || w.Layout != Flat || w.Name != "tea" || w.Schema != "schema.md" {
		t.Errorf("%+v", w)
	}
	var a txtar.Archive
	a.Comment = []byte(strings.Join(made, "\n") + "\n")
	for _, name := range made {
		if !strings.HasSuffix(name, "/") {
			text, err := os.ReadFile(filepath.Join(dir, name))
			must(t, err)
			a.Files = append(a.Files, txtar.File{Name: name, Data: text})
		}
	}
	got := txtar.Format(&a)
	if *update {
		must(t, os.WriteFile("testdata/init.txtar", got, 0o644))
	}
	want, err := os.ReadFile("testdata/init.txtar")
	must(t, err)
	if string(got) != string(want) {
		t.Errorf("got\n%s", got)
	}
	if _, warnings, err := LoadConfig(t.TempDir(), w, nil); err != nil || len(warnings) > 0 {
		t.Errorf("its own config: %q %v", warnings, err)
	}
	if _, again, err := Init(dir, InitOptions{Name: "other"}); err != nil || len(again) > 0 {
		t.Errorf("a second time: %q %v", again, err)
	}
}

// The commented keys are keys of the table, with its defaults where a default is shown.
func TestInitConfigUncommented(t *testing.T) {
	text, err := os.ReadFile("templates/config.yml")
	must(t, err)
	own := strings.ReplaceAll(strings.ReplaceAll(string(text), "\n#", "\n"), "{{name}}", "tea")
	var lines []string
	for _, l := range strings.Split(own, "\n") {
		if !strings.HasPrefix(l, " ") || strings.HasPrefix(l, "  ") {
			lines = append(lines, l)
		}
	}
	c, warnings, err := load(t, "", strings.Join(lines[1:], "\n"), "")
	must(t, err)
	if len(warnings) > 0 {
		t.Errorf("%q", warnings)
	}
	d := Defaults()
	if c.Limits != d.Limits || c.Guards != d.Guards || c.Timeout != d.Timeout || c.DefaultAgent != d.DefaultAgent || c.Protect[0] != "decisions/**" {
		t.Errorf("%+v", c)
	}
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	dir := tree(t, "w/index.md=mine\n", "w/concepts/a.md=mine too\n", "w/notes.txt=x", "w/schema.md")
	w, made, err := Init(filepath.Join(dir, "w"), InitOptions{Name: "my: \"wiki\""})
	must(t, err)
	if w.Name != "my: \"wiki\"" || slices.Contains(made, "index.md") || slices.Contains(made, "concepts/") || !slices.Contains(made, "sources/") {
		t.Errorf("%q %q", w.Name, made)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "w/index.md")); string(text) != "mine\n" {
		t.Errorf("index.md: %q", text)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "w/schema.md")); len(text) > 0 {
		t.Errorf("schema.md: %q", text)
	}
}

func TestInitElsewhere(t *testing.T) {
	dir := tree(t, "plain/raw/", "plain/wiki/a.md", "plain/CLAUDE.md", "w/.rig/config.yml=", "w/concepts/", "home/me/", "f=x")
	t.Setenv("HOME", filepath.Join(dir, "home", "me"))
	w, made, err := Init(filepath.Join(dir, "plain"), InitOptions{})
	if err != nil || w.Layout != Plain || !slices.Equal(made, []string{".rig/", ".rig/config.yml"}) {
		t.Errorf("plain: %+v %q %v", w, made, err)
	}
	before := list(t, dir)
	for _, at := range []string{"w/concepts", "w/concepts/new", "home/me", "home", "f"} {
		if _, _, err := Init(filepath.Join(dir, at), InitOptions{}); err == nil {
			t.Errorf("%s was laid out", at)
		}
	}
	if after := list(t, dir); !slices.Equal(before, after) {
		t.Errorf("left behind: %q", after)
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		names = append(names, p)
		return err
	}))
	return names
}
