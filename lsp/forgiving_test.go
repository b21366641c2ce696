package lsp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

type pipeEnd struct {
	io.Reader
	io.Writer
}

func (pipeEnd) Close() error { return nil }

// TestForgiving holds that a body that is no message is answered with the id null, that the next message is read all the same, and that a broken frame ends the
// reading.
func TestForgiving(t *testing.T) {
	var in, out bytes.Buffer
	for _, body := range []string{`{bad json`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, `{}`, `{"jsonrpc":"1.0","id":2,"method":"x"}`, `7`, `{"jsonrpc":"2.0","id":3,"method":"good"}`} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	in.WriteString("no header\r\n\r\n")
	f := forgiving{jsonrpc2.NewStream(pipeEnd{&in, &out})}
	msg, _, err := f.Read(t.Context())
	if call, ok := msg.(*jsonrpc2.Call); err != nil || !ok || call.Method() != "good" {
		t.Fatalf("%v, %v", msg, err)
	}
	if _, _, err := f.Read(t.Context()); !errors.Is(err, jsonrpc2.ErrInvalidHeader) {
		t.Errorf("after a broken frame: %v", err)
	}
	said := out.String()
	for code, want := range map[int]int{-32700: 2, -32600: 4} {
		if got := strings.Count(said, fmt.Sprintf(`"code":%d`, code)); got != want {
			t.Errorf("%d answers of code %d, want %d:\n%s", got, code, want, said)
		}
	}
	if got := strings.Count(said, `"id":null`); got != 6 {
		t.Errorf("%d answers with the id null:\n%s", got, said)
	}
}
