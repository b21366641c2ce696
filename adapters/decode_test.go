package adapters

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzStreams: no stream makes a decoder fail, hang or claim an answer without a terminal event.
func FuzzStreams(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), b[:min(len(b), 4000)])
		f.Add(uint8(i), b[max(0, len(b)-4000):])
	}
	f.Add(uint8(0), []byte(`{"type":"user","message":{"content":[{"type":"tool_result","content":{"a":1}}]}}`))
	agents := builtins()
	f.Fuzz(func(t *testing.T, which uint8, stream []byte) {
		a := agents[int(which)%len(agents)]
		d := decode(a, bytes.NewReader(stream))
		if d.Outcome.OK && (!d.Outcome.Ended || d.Outcome.Failure != nil) || !d.Outcome.OK && d.Outcome.Failure == nil {
			t.Errorf("%s: %+v", a.Name(), d.Outcome)
		}
		for _, e := range d.Events {
			if e != e.Capped() {
				t.Errorf("not capped: %+v", e)
			}
		}
	})
}

// An outcome that is cut off anywhere is never an answer.
func TestCutStreams(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "opencode", "pi"} {
		b, err := os.ReadFile("testdata/streams/" + agent + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(strings.TrimRight(string(b), "\n"), "\n")
		for n := range lines {
			o := decode(builtinByName(agent), strings.NewReader(strings.Join(lines[:n], ""))).Outcome
			if o.OK || o.Failure == nil {
				t.Errorf("%s cut after line %d of %d: %+v", agent, n, len(lines), o)
			}
		}
	}
}

// BenchmarkDecode is the speed at which a stream of large tool results is read.
func BenchmarkDecode(b *testing.B) {
	line := `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"` + strings.Repeat(`some text of a page, with \"quotes\" and 温度\n`, 400) + `"}]},"session_id":"s"}` + "\n"
	end := `{"type":"result","subtype":"success","is_error":false,"result":"ok"}` + "\n"
	stream := strings.Repeat(line, 500) + end
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		o := claude{}.Converse(context.Background(), struct {
			io.Reader
			io.Writer
		}{strings.NewReader(stream), io.Discard}, nil)
		if !o.OK {
			b.Fatal(o)
		}
	}
}
