package task

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestShapes: repositories of every make lend a clone and take commits back.
func TestShapes(t *testing.T) {
	for name, make := range map[string]func(*bench){
		"worktree": func(b *bench) {
			b.do(b.repo, "worktree", "add", "-q", filepath.Join(b.top, "linked"), "-b", "mine")
			b.repo = filepath.Join(b.top, "linked")
		},
		"shallow": func(b *bench) {
			b.write("repo/main.txt", "two\n")
			b.do(b.repo, "commit", "-qam", "second")
			b.do(b.repo, "push", "-q")
			b.do(b.top, "clone", "-q", "--depth=1", "file://"+b.remote, filepath.Join(b.top, "shallow"))
			b.repo = filepath.Join(b.top, "shallow")
		},
		"borrowing": func(b *bench) {
			b.do(b.top, "clone", "-q", "--shared", b.repo, filepath.Join(b.top, "borrower"))
			b.repo = filepath.Join(b.top, "borrower")
		},
		"through a link": func(b *bench) {
			if err := os.Symlink(b.repo, filepath.Join(b.top, "link")); err != nil {
				b.t.Fatal(err)
			}
			b.repo = filepath.Join(b.top, "link")
		},
		"detached":       func(b *bench) { b.do(b.repo, "checkout", "-q", "--detach") },
		"dirty":          func(b *bench) { b.write("repo/main.txt", "not committed\n") },
		"without remote": func(b *bench) { b.do(b.repo, "remote", "remove", "origin") },
		"packed":         func(b *bench) { b.do(b.repo, "gc", "-q") },
		"odd names": func(b *bench) {
			b.write("repo/ä ö/日本.md", "x\n")
			b.do(b.repo, "add", "-A")
			b.do(b.repo, "commit", "-qm", "odd")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			make(b)
			status := b.do(b.repo, "status", "--porcelain")
			c := b.checkout(Order{})
			tip := b.commit(c, "ünï/x.txt", "x\n")
			v, err := b.verify(c, b.bundle(c))
			if err != nil {
				t.Fatal(err)
			}
			changes, err := v.Diff(t.Context(), "", 1<<20, 1<<20)
			if err != nil || len(changes) != 1 || changes[0].Path != "ünï/x.txt" || changes[0].Kind != "create" || string(changes[0].New) != "x\n" {
				t.Errorf("%+v %v", changes, err)
			}
			im, err := v.Import(t.Context(), "run-1")
			if err != nil || im.Ref != "refs/heads/task/0007-add-x" || im.Aside != "" {
				t.Fatal(im, err)
			}
			if got := b.do(b.repo, "rev-parse", "task/0007-add-x"); got != tip {
				t.Error(got)
			}
			if got := b.do(b.repo, "status", "--porcelain"); got != status {
				t.Errorf("the tree was %q and is %q", status, got)
			}
		})
	}
}

// TestSHA256: a repository whose objects are named by SHA-256.
func TestSHA256(t *testing.T) {
	b := newBench(t)
	b.repo = filepath.Join(b.top, "sha256")
	b.do(b.top, "init", "-q", "--object-format=sha256", b.repo)
	b.write("sha256/tasks/1.md", "# One\n")
	b.do(b.repo, "add", "-A")
	b.do(b.repo, "commit", "-qm", "first")
	c := b.checkout(Order{})
	b.commit(c, "x.txt", "x\n")
	v, err := b.verify(c, b.bundle(c))
	if err != nil {
		t.Fatal(err)
	}
	if im, err := v.Import(t.Context(), "run-1"); err != nil || im.Aside != "" {
		t.Fatal(im, err)
	}
}

// TestChangeKinds: renames, edits, deletions, binary and large files are told as what they are.
func TestChangeKinds(t *testing.T) {
	b := newBench(t)
	b.write("repo/old.txt", strings.Repeat("line\n", 50))
	b.write("repo/gone.txt", "gone\n")
	b.do(b.repo, "add", "-A")
	b.do(b.repo, "commit", "-qm", "more")
	c := b.checkout(Order{})
	for _, args := range [][]string{{"mv", "old.txt", "new.txt"}, {"rm", "-q", "gone.txt"}} {
		b.do(c.Dir, args...)
	}
	for name, text := range map[string]string{"main.txt": "two\n", "bin": "a\x00b", "large": strings.Repeat("x", 5000)} {
		if err := os.WriteFile(filepath.Join(c.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.commit(c, "x.txt", "x\n")
	v, err := b.verify(c, b.bundle(c))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := v.Diff(t.Context(), "", 4000, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ch := range changes {
		got = append(got, strings.Join([]string{ch.Kind, ch.Path, ch.From, ch.Unread}, "|"))
	}
	want := "create|bin||not text\ndelete|gone.txt||\ncreate|large||too large\nedit|main.txt||\nrename|new.txt|old.txt|\ncreate|x.txt||"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestBounds: what is larger than it may be is rejected, whatever git says of it.
func TestBounds(t *testing.T) {
	b := newBench(t)
	c := b.checkout(Order{})
	b.commit(c, "x.txt", "x\n")
	b.commit(c, "y.txt", "y\n")
	bundle := b.bundle(c)
	for name, bound := range map[string]Bounds{"bytes": {200, 10, 10}, "commits": {1 << 20, 1, 10}, "paths": {1 << 20, 10, 1}} {
		_, err := c.Verify(t.Context(), bytes.NewReader(bundle), filepath.Join(b.top, "run", "q-"+name), bound)
		if r := new(Rejection); !errors.As(err, &r) || r.Rule != "too-large" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCollect: the collector tells what was left, and its report is read back; one that lies about sizes is refused.
func TestCollect(t *testing.T) {
	b := newBench(t)
	c := b.checkout(Order{})
	b.commit(c, "x.txt", "x\n")
	b.write("run/checkout/left.txt", "left\n")
	t.Chdir(c.Dir)
	var out bytes.Buffer
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	if err := Collect(t.Context(), Wanted{Git: git, Branch: c.Branch, Start: c.Start, Main: c.Main, Refs: c.Refs}, &out); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(bytes.NewReader(out.Bytes()))
	left, err := ReadLeft(r)
	if err != nil || len(left.Dirty) != 1 || left.Dirty[0] != "left.txt" || !strings.Contains(string(left.Diff), "+left") || len(left.Moved) > 0 || left.Head != "refs/heads/"+c.Branch {
		t.Fatalf("%+v %v\n%s", left, err, left.Diff)
	}
	v, err := c.Verify(t.Context(), r, filepath.Join(b.top, "run", "q"), DefaultBounds())
	if err != nil || v.Made != 1 {
		t.Fatal(v, err)
	}
	for _, bad := range []string{"", "{}", "no\n", `{"diffBytes":-1}` + "\n", `{"diffBytes":99999999999}` + "\n", `{"diffBytes":5}` + "\nabc", strings.Repeat("x", maxLeft+10) + "\n"} {
		if _, err := ReadLeft(bufio.NewReader(strings.NewReader(bad))); err == nil {
			t.Errorf("%.40q was read", bad)
		}
	}
}

func FuzzReadHead(f *testing.F) {
	f.Add("# v2 git bundle\n-" + strings.Repeat("a", 40) + " x\n" + strings.Repeat("b", 40) + " refs/heads/x\n\n")
	f.Add("# v3 git bundle\n@object-format=sha256\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := readHead(bufio.NewReader(strings.NewReader(text)))
		for _, oid := range h.needs {
			if err == nil && !isObjectID(oid) {
				t.Errorf("%q is no object", oid)
			}
		}
	})
}

func FuzzRaw(f *testing.F) {
	f.Add(":100644 100644 a b M\x00x\x00")
	f.Add("::100644 100644 100644 a b c MM\x00x\x00")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseRaw(text)
		_, _, _ = parseChanges(text)
	})
}

func FuzzLeft(f *testing.F) {
	line, err := json.Marshal(Left{Head: "x", DiffBytes: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(line) + "\nx")
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := ReadLeft(bufio.NewReader(strings.NewReader(text))); err == nil && int64(len(l.Diff)) != l.DiffBytes {
			t.Error("a diff of another size")
		}
	})
}

func TestBadLink(t *testing.T) {
	for link, ok := range map[string]bool{
		"a -> b": true, "d/a -> ../b": true, "d/a -> ../e/b": true, "a -> ./b": true, "a -> b/": true,
		"a -> ../b": false, "d/a -> ../../b": false, "a -> /b": false, "a -> b/../c": false, "a -> .git/config": false, "d/a -> ../.GIT": false, "a -> C:x": false, `a -> b\c`: false, "a -> ": false,
		"a -> .gitignore": true, "d/a -> .": true, "d/a -> ..": true,
	} {
		at, target, _ := strings.Cut(link, " -> ")
		if reason := badLink(at, target); (reason == "") != ok {
			t.Errorf("%s: %q", link, reason)
		}
	}
}
