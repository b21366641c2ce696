package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rigwiki/rig/wiki/index/indextest"
)

// generated lays out a generated wiki, and gives the index that is built from it whole and kept nowhere.
func generated(t testing.TB, pages int) (root string, want *Index) {
	t.Helper()
	root = t.TempDir()
	if _, err := indextest.Write(root, indextest.Options{Pages: pages, Seed: 21, Unresolved: 0.1}); err != nil {
		t.Fatal(err)
	}
	return root, open(t, root, "")
}

// answers is what a few searches and the pages' near copies say.
func answers(x *Index) string {
	var b strings.Builder
	for _, q := range []string{"bat", "page", "ba bo bi", "sources", "concepts tizu"} {
		for _, h := range x.Search(q, 8) {
			fmt.Fprintf(&b, "%s %.4f %q %d\n", h.Path, h.Score, h.Heading, h.Line)
		}
	}
	for _, rel := range x.Paths() {
		for _, a := range x.NearCopies(rel) {
			fmt.Fprintf(&b, "%s ~ %s %.2f\n", rel, a.Path, a.Share)
		}
	}
	return b.String()
}

// TestLinksComeFirst opens a wiki without a kept index: names and links are there at once and exact; the full text is laid out when it is asked for, and kept.
func TestLinksComeFirst(t *testing.T) {
	root, want := generated(t, 300)
	dir := t.TempDir()
	x := open(t, root, dir)
	if x.HasFullText() {
		t.Error("the first build laid out the full text")
	}
	if got, want := snapshot(x), snapshot(want); got != want {
		t.Error(firstDifference(got, want))
	}
	if x.HasFullText() {
		t.Error("names and links needed the full text")
	}
	if got, want := answers(x), answers(want); got != want || got == "" {
		t.Error(firstDifference(got, want))
	}
	if !x.HasFullText() {
		t.Error("a search left it missing")
	}
	again := open(t, root, dir)
	if !again.HasFullText() {
		t.Error("it was not kept")
	}
	if got, want := answers(again), answers(want); got != want {
		t.Error(firstDifference(got, want))
	}
	if w := append(x.Warnings(), again.Warnings()...); len(w) > 0 {
		t.Error(w)
	}
}

// TestFullTextGoesOn cancels the second step: nothing half written is left, links are answered, and the next process goes on.
func TestFullTextGoesOn(t *testing.T) {
	root, want := generated(t, 900)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	var steps []Step
	var mu sync.Mutex
	x, err := Open(ctx, Options{Root: root, Dir: dir, Progress: func(step Step, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
		if step == FullText {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.FullText(ctx); err == nil {
		t.Error("a cancelled build ended well")
	}
	if !slices.Equal(steps, []Step{Names, FullText}) {
		t.Error(steps)
	}
	for _, f := range filesIn(t, dir) {
		if strings.HasPrefix(f, ".new") {
			t.Error("left behind: ", f)
		}
	}
	if got, want := snapshot(x), snapshot(want); got != want {
		t.Error(firstDifference(got, want))
	}
	next := open(t, root, dir)
	if got, want := answers(next), answers(want); got != want {
		t.Error(firstDifference(got, want))
	}
	if w := next.Warnings(); len(w) > 0 {
		t.Error(w)
	}
}

func filesIn(t testing.TB, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range entries {
		names = append(names, d.Name())
	}
	return names
}

// TestBrokenFullText spoils one file of a kept index at a time: what is broken is laid out anew, that is said, and every answer is right.
func TestBrokenFullText(t *testing.T) {
	root, want := generated(t, 300)
	wanted := answers(want)
	kept := t.TempDir()
	if got := answers(open(t, root, kept)); got != wanted {
		t.Fatal(firstDifference(got, wanted))
	}
	for name, spoil := range map[string]func(b []byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"longer":  func(b []byte) []byte { return append(b, 0) },
		"empty":   func([]byte) []byte { return nil },
		"flipped": func(b []byte) []byte { b[len(b)/3] ^= 4; return b },
		"other":   func(b []byte) []byte { copy(b, "rigfull0"); return b },
		"foreign": func(b []byte) []byte { // sound, of the same shape, but of another segment
			binary.LittleEndian.PutUint64(b[16+8*fullTextSections+8:], 1)
			binary.LittleEndian.PutUint32(b[8:], checksum(b[12:]))
			return b
		},
	} {
		for _, suffix := range []string{fullTextSuffix, textSuffix, segmentSuffix} {
			if name == "foreign" && suffix != fullTextSuffix || suffix == textSuffix && name == "longer" {
				continue // no harm done
			}
			t.Run(name+suffix, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
					t.Fatal(err)
				}
				for _, f := range filesIn(t, dir) {
					switch {
					case strings.HasSuffix(f, suffix):
						spoilFile(t, filepath.Join(dir, f), spoil)
					case suffix == textSuffix && strings.HasSuffix(f, fullTextSuffix): // else the texts are not needed
						if err := os.Remove(filepath.Join(dir, f)); err != nil {
							t.Fatal(err)
						}
					}
				}
				x := open(t, root, dir)
				if got := answers(x); got != wanted {
					t.Error(firstDifference(got, wanted))
				}
				if w := x.Warnings(); len(w) == 0 || !strings.Contains(w[0], "anew") {
					t.Errorf("warnings %q", w)
				}
				again := open(t, root, dir)
				if got := answers(again); got != wanted {
					t.Error(firstDifference(got, wanted))
				}
				if w := again.Warnings(); len(w) > 0 {
					t.Errorf("mended, but %q", w)
				}
			})
		}
	}
}

func spoilFile(t testing.TB, file string, spoil func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, spoil(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFullTextAtOnce has several indexes, as processes have them, lay out the full text of one cache folder at once, while others read links and search.
func TestFullTextAtOnce(t *testing.T) {
	root, want := generated(t, 300)
	dir, links, hits := t.TempDir(), snapshot(want), answers(want)
	var wg sync.WaitGroup
	for range 3 {
		x := open(t, root, dir)
		for range 2 {
			wg.Go(func() {
				if err := x.FullText(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if got := snapshot(x); got != links {
				t.Error(firstDifference(got, links))
			}
		})
		wg.Go(func() {
			if got := answers(x); got != hits {
				t.Error(firstDifference(got, hits))
			}
		})
	}
	wg.Wait()
	for _, f := range filesIn(t, dir) {
		if strings.HasPrefix(f, ".new") {
			t.Error("left behind: ", f)
		}
	}
}

// TestCloseDuringFullText lets go of an index whose full text is being laid out.
func TestCloseDuringFullText(t *testing.T) {
	root, _ := generated(t, 900)
	started, once := make(chan struct{}), sync.Once{}
	x, err := Open(t.Context(), Options{Root: root, Dir: t.TempDir(), Progress: func(step Step, _, _ int) {
		if step == FullText {
			once.Do(func() { close(started) })
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- x.FullText(context.Background()) }()
	<-started
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestCacheFolderCannotBeWritten opens a wiki whose cache folder is read-only, or a file: all is answered from memory, and that is said.
func TestCacheFolderCannotBeWritten(t *testing.T) {
	root, want := generated(t, 300)
	wanted := answers(want)
	kept := t.TempDir()
	open(t, root, kept) // names and links only
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	x := open(t, root, filepath.Join(file, "index"))
	if got := answers(x); got != wanted {
		t.Error(firstDifference(got, wanted))
	}
	if w := strings.Join(x.Warnings(), "\n"); !strings.Contains(w, "not kept") {
		t.Errorf("warnings %q", w)
	}
	if os.Geteuid() == 0 {
		t.Skip("for root every folder can be written")
	}
	if err := os.Chmod(kept, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(kept, 0o700)
	x = open(t, root, kept)
	if got := answers(x); got != wanted {
		t.Error(firstDifference(got, wanted))
	}
}
