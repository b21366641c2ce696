package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// TestProvedOnce: a segment is proved once in the life of the machine, and again where its file is not the one that was proved; a broken one is never taken for sound.
func TestProvedOnce(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/random/boot_id"); err != nil {
		t.Skip("this system does not tell its starts apart: segments are proved by each process")
	}
	root, dir := t.TempDir(), t.TempDir()
	paths, err := indextest.Write(root, indextest.Options{Pages: 60, Seed: 8})
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, root, dir).Close(); err != nil {
		t.Fatal(err)
	}
	use := func() *Index {
		t.Helper()
		x := open(t, root, dir)
		x.With(map[string][]byte{paths[0]: []byte("# quokka\n")}, func(*Index) {})
		return x
	}
	proved := func() string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, provedFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for before := ""; ; { // the first ones may write segments anew
		if err := use().Close(); err != nil {
			t.Fatal(err)
		}
		now := proved()
		if now == before {
			break
		}
		before = now
	}
	x := use()
	first, segment := proved(), x.segments[0].name
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(first, segment) {
		t.Fatalf("%s was not proved:\n%s", segment, first)
	}
	if err := use().Close(); err != nil {
		t.Fatal(err)
	}
	if proved() != first {
		t.Fatalf("proved again:\n%s\n%s", first, proved())
	}
	file := filepath.Join(dir, segment+segmentSuffix)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 0xff
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	x = use()
	defer x.Close()
	if w := strings.Join(x.Warnings(), "; "); !strings.Contains(w, "does not match its checksum") {
		t.Errorf("a broken segment was taken: %q", w)
	}
}
