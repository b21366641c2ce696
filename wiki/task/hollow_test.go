package task

import (
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
	v, err := b.verify(c, b.bundle(c))
	if err != nil {
		t.Fatal(err)
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
