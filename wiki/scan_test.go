package wiki

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestScanKeeps: what is known of a source counts for as long as its stat identity stays, and not for one that was written a moment ago.
func TestScanKeeps(t *testing.T) {
	h, w, _ := queryHost(t, map[string]string{"raw/a.md": "aaaa\n", "sources/a.md": "---\nsource_path: ../raw/a.md\nsource_sha: sha256:B4F9AD0ED7C0D9DBF31B29E8B1BD7D9E3AA4D8EBFC1D1D3F7DA8B6C1FD0B0E88\n---\n# A\n"})
	status := func() SourceStatus {
		t.Helper()
		got, err := h.Scan(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got {
			if s.Path == "raw/a.md" && s.Page == "sources/a.md" {
				return s.Status
			}
		}
		t.Fatalf("%+v", got)
		return ""
	}
	if got := status(); got != SourceDrift {
		t.Errorf("another sha256: %s", got)
	}
	if err := os.WriteFile(filepath.Join(w.Real, "sources", "a.md"), []byte("---\nsources: [\"[[raw/a|A]]\"]\n---\n# A\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != SourceUnchanged {
		t.Errorf("by a wikilink, without sha256: %s", got)
	}
	raw, page := filepath.Join(w.Real, "raw", "a.md"), filepath.Join(w.Real, "sources", "a.md")
	for range 2 { // a page without sha256: since it was first seen
		if err := os.WriteFile(raw, []byte("aaaa, and more\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := status(); got != SourceModified {
			t.Errorf("written since: %s", got)
		}
	}
	for _, text := range []string{"aaaa\n", "bbbb\n", "cccc\n"} { // same size, within one tick of the clock
		if err := os.WriteFile(raw, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, []byte("---\nsource-path: raw/a.md\nsource-sha: "+hashOf([]byte(text))+"\n---\n# A\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := status(); got != SourceUnchanged {
			t.Errorf("%q: %s", text, got)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(raw, old, old); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != SourceUnchanged {
		t.Errorf("a new time stamp: %s", got)
	}
	// A file of raw/ that is not there, a folder that is a link, a page that names nothing.
	if err := os.Remove(raw); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != SourceDeleted {
		t.Errorf("gone: %s", got)
	}
}

// TestNamedSource: how pages name their source.
func TestNamedSource(t *testing.T) {
	for value, want := range map[string]string{
		"raw/a.md": "raw/a.md", "./raw/a.md": "raw/a.md", "../raw/b c.md": "raw/b c.md", "[[raw/a|A]]": "raw/a", "https://example.org/raw/a": "", "": "", "/etc/hosts": "", "notes/a.md": "",
		"raw/../schema.md": "", "raw/cafe\u0301.md": "raw/caf\u00e9.md",
	} {
		if got := rawPath("sources/a.md", value); got != want {
			t.Errorf("rawPath(%q) = %q, want %q", value, got, want)
		}
	}
}
