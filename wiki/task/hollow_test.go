package task

import (
	"slices"
	"strings"
	"testing"
)

// TestHollow: what of a tree a clone cannot fill in is said; a branch that leaves it alone is taken, one that moves a submodule is not.
func TestHollow(t *testing.T) {
	b := newBench(t)
	for _, note := range b.checkout(Order{}).Notes {
		t.Errorf("a plain repository: %s", note)
	}
	b.write("repo/.gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n")
	b.write("repo/art/.gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n")
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	for _, name := range []string{"kept", "moved", "replaced", "large", "text", "gone"} {
		b.write("repo/art/"+name+".png", pointer)
	}
	b.do(b.repo, "add", ".gitmodules", "art")
	b.do(b.repo, "update-index", "--add", "--cacheinfo", "160000,"+b.do(b.repo, "rev-parse", "HEAD")+",lib")
	b.do(b.repo, "commit", "-qm", "hollow")
	b.do(b.repo, "push", "-q", "origin", "main")
	c := b.checkout(Order{Branch: "task/hollow"})
	notes := strings.Join(c.Notes, "\n")
	if !strings.Contains(notes, "submodules are empty in the checkout") || !strings.Contains(notes, ": lib") || !strings.Contains(notes, "Git LFS are pointers") {
		t.Errorf("said %q", notes)
	}
	b.commit(c, "x.txt", "x\n")
	b.commit(c, "art/moved.png", strings.Replace(pointer, "12345", "12346", 1))
	b.commit(c, "art/replaced.png", "\x89PNG\x00")
	b.commit(c, "art/text.png", "text\n")
	b.commit(c, "art/large.png", strings.Repeat("x", 4000))
	b.do(c.Dir, "rm", "-q", "art/gone.png")
	b.with(c.Env(), c.Dir, "commit", "-qm", "gone")
	v, err := b.verify(c, b.bundle(c))
	if err != nil {
		t.Fatal(err)
	}
	list, err := v.Diff(t.Context(), "", 3000, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var raw []string
	for _, ch := range list {
		if ch.Unpointed {
			raw = append(raw, ch.Path+" "+ch.Unread)
		}
	}
	if want := []string{"art/large.png too large", "art/replaced.png not text", "art/text.png "}; !slices.Equal(raw, want) {
		t.Errorf("contents in the place of pointers: %q, want %q", raw, want)
	}
	if _, err := v.Import(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	b.do(c.Dir, "update-index", "--cacheinfo", "160000,"+c.Start+",lib")
	b.with(c.Env(), c.Dir, "commit", "-qm", "moved")
	if _, err := b.verify(c, b.bundle(c)); err == nil || !strings.Contains(err.Error(), "submodule") {
		t.Errorf("a submodule was moved: %v", err)
	}
}
