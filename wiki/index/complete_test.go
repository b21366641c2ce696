package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNamesAreFuzzy holds what typed letters find and in which order, on disk and in a buffer.
func TestNamesAreFuzzy(t *testing.T) {
	root := t.TempDir()
	for rel, text := range map[string]string{
		"concepts/tea.md":          "# Tea\n",
		"concepts/tea-kettle.md":   "---\naliases: [Samovar]\n---\n# The Tea Kettle\n",
		"concepts/green-tea.md":    "# Green tea\n",
		"concepts/steam.md":        "# Steam\n",
		"concepts/t-e-longname.md": "# Totally else a thing\n",
		"concepts/检索增强.md":         "# RAG\n",
		"raw/tea.md":               "# Raw\n",
		"assets/tea.png":           "x",
		"concepts/Étude.md":        "# Etude\n",
	} {
		file := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, err := Open(context.Background(), Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.SetBuffer("concepts/teapot.md", []byte("# Teapot\n"))
	for _, c := range []struct {
		typed string
		want  []string
	}{
		{"tea", []string{"concepts/tea.md", "concepts/teapot.md", "concepts/tea-kettle.md", "raw/tea.md", "concepts/green-tea.md", "concepts/steam.md", "concepts/t-e-longname.md", "assets/tea.png"}},
		{"TEA kettle", []string{"concepts/tea-kettle.md"}},
		{"samo", []string{"concepts/tea-kettle.md"}},
		{"tkt", []string{"concepts/tea-kettle.md"}},
		{"检增", []string{"concepts/检索增强.md"}},
		{"索增", []string{"concepts/检索增强.md"}},
		{"e\u0301tu", []string{"concepts/Étude.md"}},
		{"raw/", []string{"raw/tea.md"}},
		{"concepts/tea", []string{"concepts/tea.md", "concepts/teapot.md", "concepts/tea-kettle.md"}},
		{"zzz", nil},
	} {
		var got []string
		for _, n := range x.Names(c.typed, 20) {
			got = append(got, n.Path)
		}
		if c.typed == "concepts/tea" {
			got = got[:min(3, len(got))]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q finds %q, want %q", c.typed, got, c.want)
		}
	}
}
