package wiki

import (
	"path/filepath"
	"testing"

	"github.com/rigwiki/rig/wiki/lint"
)

// TestSchemaFolders is case o-lw-04 from the schema's text to the findings.
func TestSchemaFolders(t *testing.T) {
	root, err := filepath.Abs("lint/testdata/o-lw-04")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wiki{Root: root, Real: root, Layout: V0, Pages: "wiki", Schema: "schema.md", Human: []string{"raw", "purpose.md", "schema.md"}, ID: "o-lw-04"}
	h, err := NewHost(Options{RigHome: t.TempDir(), Env: []string{"HOME=" + t.TempDir()}, Self: "/none"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	x, err := h.Index(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, rel := range x.Paths() {
		for _, f := range lint.Page(x, h.LintRules(w), rel) {
			if f.Code == "unknown-directory" || f.Code == "type-directory-mismatch" {
				got[rel+" "+f.Code] = f.Fixes[0].Move
			}
		}
	}
	if len(got) != 2 || got["wiki/methodologies/firing.md unknown-directory"] != "wiki/methodology/firing.md" || got["wiki/concepts/oven.md type-directory-mismatch"] != "wiki/entities/oven.md" {
		t.Error(got)
	}
}
