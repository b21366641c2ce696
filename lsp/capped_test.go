package lsp

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rigwiki/rig/lsp/lsptest"
	"go.lsp.dev/protocol"
)

type readOnly struct{ io.Reader }

func (readOnly) Write(p []byte) (int, error) { return len(p), nil }
func (readOnly) Close() error                { return nil }

// TestCapped holds that messages pass as they are, in whatever pieces they come, and that one that is too long ends the reading before its body.
func TestCapped(t *testing.T) {
	body := strings.Repeat("Content-Length: 999999999\r\n\r\n", 3) // of a body, it means nothing
	good := fmt.Sprintf("Content-Length: %d\r\nContent-Type: x\r\n\r\n%scontent-length:2\n\n{}", len(body), body)
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(good), "by bytes": iotest.OneByteReader(strings.NewReader(good)), "by halves": iotest.HalfReader(strings.NewReader(good))} {
		got, err := io.ReadAll(&capped{ReadWriteCloser: readOnly{r}})
		if err != nil || string(got) != good {
			t.Errorf("%s: %v, %d bytes", name, err, len(got))
		}
	}
	for _, bad := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", maxMessage+1), strings.Repeat("x", maxHeader+1)} {
		if _, err := io.ReadAll(&capped{ReadWriteCloser: readOnly{strings.NewReader(good + bad)}}); err == nil {
			t.Errorf("%.40q passes", bad)
		}
	}
}

// TestTooLong holds that a client that announces too much is let go.
func TestTooLong(t *testing.T) {
	e := session(t, newFakeHost(t, nil), lsptest.Options{Profile: lsptest.VSCode(), WantError: true})
	e.Raw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", 1<<29))
	if got := e.Exit(); got != 1 {
		t.Errorf("exit code %d", got)
	}
}

// TestAnnouncedKinds holds that each kind is announced once.
func TestAnnouncedKinds(t *testing.T) {
	s := &server{}
	s.caps.literals = true
	o, ok := s.codeActionOffer().(*protocol.CodeActionOptions)
	if !ok || len(o.CodeActionKinds) == 0 {
		t.Fatalf("announced %v", s.codeActionOffer())
	}
	seen := map[protocol.CodeActionKind]bool{}
	for _, k := range o.CodeActionKinds {
		if seen[k] {
			t.Errorf("%s is announced twice", k)
		}
		seen[k] = true
	}
}

// TestCodeActionKinds holds that context.only is honoured by whole parts of a kind.
func TestCodeActionKinds(t *testing.T) {
	for only, want := range map[string]bool{"": true, "refactor": true, "refactor.rewrite": true, "refactor.rewrite.rigwiki.ingest": true, "refac": false, "quickfix": false, "source": false, "refactor.rewrite.rigwiki.ingest.x": false} {
		if got := wanted([]protocol.CodeActionKind{protocol.CodeActionKind(only)}, kindRoot+"ingest"); got != want {
			t.Errorf("only %q: %v", only, got)
		}
	}
}
