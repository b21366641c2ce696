package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rigwiki/rig/lsp/lsptest"
)

// shownFindings is one textDocument/publishDiagnostics of a file.
type shownFindings struct {
	URI         string
	Version     *int
	Diagnostics []struct{ Message string }
}

func findingsOf(t *testing.T, raw []json.RawMessage, path string) (out []shownFindings) {
	t.Helper()
	for _, r := range raw {
		var p shownFindings
		if err := json.Unmarshal(r, &p); err != nil {
			t.Fatal(err)
		}
		if p.URI == lsptest.URI(path) {
			out = append(out, p)
		}
	}
	return out
}

// TestFindingsWhileKeysComeFast types faster than anybody reads: what is shown names the version that it is about, never one before the last one shown, ends with
// the newest text, and comes at a bounded rate.
func TestFindingsWhileKeysComeFast(t *testing.T) {
	d := newStudy(t, lsptest.VSCode(), "", map[string]string{"page.md": "# P\n"})
	d.open("page.md")
	page := d.path("page.md")
	const keys = 400
	began := time.Now()
	for i := range keys {
		d.e.Change(page, fmt.Sprintf("# P\n%s\n[[gap %d]]\n", strings.Repeat("\n", i%3), i))
	}
	newest := fmt.Sprintf("no page gap %d", keys-1)
	d.e.Until("the findings of the newest text", func() bool { return strings.Contains(lastFindings(d.e, page), newest+`"`) })
	version := d.e.Buffer(page).Version
	shown := findingsOf(t, d.e.Notes("textDocument/publishDiagnostics"), page)
	if looks := int(time.Since(began)/lookPause) + 2; len(shown) > looks {
		t.Errorf("%d publications in the time of %d looks", len(shown), looks)
	}
	before := 0
	for _, s := range shown {
		if s.Version == nil || *s.Version < before {
			t.Fatalf("version %v after %d", s.Version, before)
		}
		before = *s.Version
		if want := fmt.Sprintf("no page gap %d", keys-1-(version-before)); len(s.Diagnostics) == 1 && s.Diagnostics[0].Message != want {
			t.Errorf("version %d has %q, want %q", before, s.Diagnostics[0].Message, want)
		}
	}
	if before != version {
		t.Errorf("the last findings are of version %d, want %d", before, version)
	}
	// A key behind the finding leaves it as it is: it is told again, since Helix drops what is of an older version than its own.
	d.e.Change(page, d.e.Buffer(page).Text+"x")
	d.e.Until("the findings of the next version", func() bool {
		return strings.Contains(lastFindings(d.e, page), fmt.Sprintf(`"version":%d`, version+1)) && strings.Contains(lastFindings(d.e, page), newest+`"`)
	})
}
