package index

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// FuzzKeptIndex opens a kept index one of whose files is arbitrary, with a checksum that is right: what is asked may be answered wrongly or not at all, but nothing
// panics, and nothing takes memory or time out of proportion.
func FuzzKeptIndex(f *testing.F) {
	root := lay(f, map[string]string{"a.md": "---\naliases: [x, y]\ntags: [t]\n---\n# A\n[[b#h|c]] [m](d/c.md)\n", "b.md": "# B\n## h\nwater and wine\n", "d/c.md": "漢字 [[a]]\n", "d/f.png": "x"})
	kept := f.TempDir()
	x := open(f, root, kept)
	x.Search("water", 1)
	names := filesIn(f, kept)
	for i, name := range names {
		b, err := os.ReadFile(filepath.Join(kept, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), b)
		for at := 16; at+4 <= len(b); at += 24 {
			c := append([]byte(nil), b...)
			binary.LittleEndian.PutUint32(c[at:], 0xfffffff0)
			f.Add(uint8(i), c)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
			t.Fatal(err)
		}
		if len(data) >= 16 {
			binary.LittleEndian.PutUint32(data[8:], checksum(data[12:]))
		}
		if err := os.WriteFile(filepath.Join(dir, names[int(which)%len(names)]), data, 0o600); err != nil {
			t.Fatal(err)
		}
		x := open(t, root, dir)
		for _, rel := range append(x.Paths(), "a.md") {
			x.Page(rel)
			x.Backlinks(rel)
			x.NearCopies(rel)
			x.Text(rel, FileID{})
			x.Summary(rel)
		}
		for _, q := range []string{"water wine", "watr", "漢", "b"} {
			x.Search(q, 5)
			x.Names(q, 5)
			x.Resolve("a.md", q)
			x.Similar("a.md", q, nil)
		}
		x.EachLink(func(string, Link, []Match) bool { return true })
		NewLookup(func(rel string, front func() FrontMatter) []string { front(); return nil }).Find(x, "k")
		refresh(t, x)
	})
}
