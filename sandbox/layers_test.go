//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// layers are all layers; each passes every test of the suite.
func layers() map[string]Layer {
	return map[string]Layer{"copy": Copy(CopyOptions{Unconfined: true}), "unconfined": Copy(CopyOptions{ForceUnconfined: true}), "overlay": Overlay(OverlayOptions{}),
		"disk": Overlay(OverlayOptions{Upper: OnDisk})}
}

func each(t *testing.T, test func(t *testing.T, l Layer)) {
	for name, l := range layers() {
		t.Run(name, func(t *testing.T) {
			need(t, l)
			test(t, l)
		})
	}
}

// need skips a test where this machine does not give a layer, and fails it where RIG_REQUIRE asks for it (as CI does).
func need(t *testing.T, l Layer) {
	t.Helper()
	b := newBench(t, nil)
	box, err := l.Open(t.Context(), b.spec)
	if err == nil {
		err = box.Close()
	}
	if err != nil && noUpper(l, b.rundir) {
		t.Skipf("the file system of %s cannot hold an upper layer: %v", b.rundir, err)
	}
	if err != nil && strings.Contains(os.Getenv("RIG_REQUIRE"), "sandbox") {
		t.Fatalf("required, but not had here: %v", err)
	}
	if err != nil {
		t.Skipf("not had here: %v", err)
	}
}

// TestChanges: what a program did is what is reported, and the folder is as it was.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		script string
		want   []string
	}{
		{"nothing", map[string]string{"a.md": "a\n"}, `cat a.md`, nil},
		{"edit", map[string]string{"a.md": "a\n"}, `echo b >>a.md`, []string{`edit a.md "a\n" -> "a\nb\n"`}},
		{"touched", map[string]string{"a.md": "a\n"}, `cat a.md >x; cat x >a.md; rm x; touch a.md`, nil},
		{"renamed over", map[string]string{"a.md": "a\n"}, `echo a >x; mv x a.md`, nil},
		{"moved", map[string]string{"a.md": "a\n", "b.md": "b\n", "d/x.md": "x\n"}, `mv a.md m.md; mv b.md d/b.md; echo Y >>d/b.md; mv d/x.md t; echo new >d/x.md; mv t d/y.md`,
			[]string{`delete a.md "a\n"`, `delete b.md "b\n"`, `create d/b.md -> "b\nY\n"`, `edit d/x.md "x\n" -> "new\n"`, `create d/y.md -> "x\n"`, `create m.md -> "a\n"`}},
		{"same size and time", map[string]string{"a.md": "a\n"}, `touch -r a.md /tmp/rig-ref.$$ 2>/dev/null || touch -r a.md "$TMPDIR/r"; echo b >a.md; touch -d @0 a.md`,
			[]string{`edit a.md "a\n" -> "b\n"`}},
		{"create", map[string]string{"a.md": "a\n"}, `mkdir -p n/m e; echo b >n/m/b.md; : >n/empty.md`,
			[]string{`create n/empty.md -> ""`, `create n/m/b.md -> "b\n"`, `dir e`, `dir n`, `dir n/m`}},
		{"delete and empty", map[string]string{"a.md": "a\n", "b.md": "b\n", "d/c.md": "c"}, `rm a.md; : >b.md; rm -r d`,
			[]string{`delete a.md "a\n"`, `edit b.md "b\n" -> ""`, `delete d/c.md "c"`}},
		{"file and folder swap", map[string]string{"area": "1", "topic.md": "2", "dir/x.md": "3"},
			`rm -r area topic.md dir; mkdir area topic.md; echo c >area/child.md; echo p >topic.md/part.md; echo f >dir`,
			[]string{`delete area "1"`, `create area/child.md -> "c\n"`, `create dir -> "f\n"`, `delete dir/x.md "3"`, `delete topic.md "2"`,
				`create topic.md/part.md -> "p\n"`, `dir area`, `dir topic.md`}},
		{"folder made anew", map[string]string{"d/a.md": "a", "d/b.md": "b"}, `rm -r d; mkdir d; echo A >d/a.md`,
			[]string{`edit d/a.md "a" -> "A\n"`, `delete d/b.md "b"`}},
		{"odd kinds", map[string]string{"a.md": "a", "b.md": "b", "c.md": "c"}, `rm a.md b.md; ln -s /etc/passwd a.md; mkfifo b.md; ln c.md d.md`,
			[]string{`odd a.md (symlink)`, `odd b.md (fifo)`, `odd d.md (hardlink)`}},
		{"modes", map[string]string{"a.md": "a", "b.md": "b", "d/c.md": "c", "s.md": "s"},
			`chmod +x a.md; echo B >b.md; chmod 0 b.md; echo C >d/c.md; echo n >d/n.md; chmod 755 d/n.md; chmod 0 d; chmod u+s s.md`,
			[]string{`odd a.md (mode)`, `edit b.md "b" -> "B\n"`, `edit d/c.md "c" -> "C\n"`, `create d/n.md (mode) -> "n\n"`, `odd s.md (mode)`}},
		{"sparse giant", map[string]string{"a.md": "a"}, `truncate -s 10G a.md; truncate -s 9M b.md`, []string{`odd a.md (too-large)`, `odd b.md (too-large)`}},
		{"odd names", map[string]string{"a b.md": "a"}, `rm "a b.md"; echo x >"$(printf 'n\nl.md')"; echo y >"$(printf '\377.md')"; echo z >-x`,
			[]string{`create -x -> "z\n"`, `delete a b.md "a"`, "create n\nl.md -> \"x\\n\"", "create \xff.md -> \"y\\n\""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, l Layer) {
				b := newBench(t, c.files)
				box := b.open(l)
				before := image(t, b.root)
				b.must(box, c.script)
				b.want(b.changes(box), c.want...)
				same(t, "folder", before, image(t, b.root))
			})
		})
	}
}

// TestBase: the base is what the program was given: the buffer, or the text before the user saved meanwhile.
func TestBase(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "disk\n", "b.md": "b\n", "c.md": "c\n", "d.md": "d\n"})
		b.spec.Buffers = map[string][]byte{"a.md": []byte("buffer\n"), "new/n.md": []byte("unsaved\n")}
		b.spec.BaseText = func(rel string, _ FileID) ([]byte, bool) {
			return []byte("b\n"), rel == "b.md"
		}
		box := b.open(l)
		b.must(box, `grep -q buffer a.md; echo x >>a.md; grep -q unsaved new/n.md; echo y >>new/n.md; echo b2 >>b.md; echo d2 >d.md`)
		for name, text := range map[string]string{"b.md": "user\n", "c.md": "user\n"} {
			if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b.want(b.changes(box), `edit a.md "buffer\n" -> "buffer\nx\n"`, `edit b.md "b\n" -> "b\nb2\n" drift`, `edit d.md "d\n" -> "d2\n"`,
			`edit new/n.md "unsaved\n" -> "unsaved\ny\n"`)
	})
}

// TestMovedMeanwhile: a page that the program moved is new where it lies now, whatever the user does to it where it was; one that the user removed while
// the program edited it is an edit of a page that moved on.
func TestMovedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n"})
		b.spec.BaseText = func(rel string, _ FileID) ([]byte, bool) {
			text, ok := map[string][]byte{"a.md": []byte("a\n"), "b.md": []byte("b\n"), "c.md": []byte("c\n")}[rel]
			return text, ok
		}
		box := b.open(l)
		b.must(box, `mv a.md a2.md; mv b.md b2.md; echo Y >>b2.md; echo C >>c.md`)
		appendTo(t, filepath.Join(b.root, "a.md"), "typed\n")
		plant(t, b.root, map[string]string{"saved": "b\ntyped\n"})
		if err := errors.Join(os.Rename(filepath.Join(b.root, "saved"), filepath.Join(b.root, "b.md")), os.Remove(filepath.Join(b.root, "c.md"))); err != nil {
			t.Fatal(err)
		}
		b.want(b.changes(box), `delete a.md "a\n" drift`, `create a2.md -> "a\n"`, `delete b.md "b\n" drift`, `create b2.md -> "b\nY\n"`, `edit c.md "c\n" -> "c\nC\n" drift`)
	})
}

func appendTo(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestBounds: too much is said, not read.
func TestBounds(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		for _, c := range []struct {
			limits Limits
			script string
			want   string
		}{
			{Limits{Files: 3}, `for i in 1 2 3 4; do echo $i >$i; done`, "more changed files than the limit"},
			{Limits{Bytes: 10}, `for i in 1 2 3 4; do echo 123 >$i; done`, "more changed bytes than the limit"},
		} {
			b := newBench(t, map[string]string{"a.md": "a"})
			b.spec.Limits = c.limits
			box := b.open(l)
			b.must(box, c.script)
			if got := b.changes(box).Overflow; got != c.want {
				t.Errorf("overflow %q, want %q", got, c.want)
			}
		}
	})
}

// TestLinks: a link that leaves the folder opens nothing outside it; what is written through a link inside it is a change of its target.
func TestLinks(t *testing.T) {
	b := newBench(t, map[string]string{"wiki/a.md": "# A\n", "wiki/b.md": "b", "wiki/inner.md": "-> a.md", "wiki/twin.md": "-> b.md",
		"wiki/leak.md": "-> ../../outside/secret.md", "wiki/lost.md": "-> nowhere", "wiki/dir": "-> ../wiki"})
	plant(t, b.top, map[string]string{"outside/secret.md": "secret\n"})
	before := image(t, b.top)
	box := b.open(Copy(CopyOptions{ForceUnconfined: true}))
	b.must(box, `[ ! -e wiki/leak.md ]; ! grep -r secret .; [ -f wiki/inner.md ]; [ ! -L wiki/inner.md ]
		echo '# A better' >wiki/inner.md; echo 1 >wiki/twin.md; echo 2 >wiki/b.md`)
	b.want(b.changes(box), `edit wiki/a.md "# A\n" -> "# A better\n"`, `edit wiki/b.md "b" -> "2\n"`, `odd wiki/twin.md (symlink)`,
		`warning wiki/dir: left out, the link does not lead to a file that is shown`, `warning wiki/leak.md: left out, the link leaves the folder`,
		`warning wiki/lost.md: left out, the link leads nowhere`)
	box.Close()
	same(t, "all", before, image(t, b.top))
}

// TestSpecialFiles: what would block is not opened.
func TestSpecialFiles(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"wiki/a.md": "a", "wiki/pipe.md": "| fifo"})
		box := b.open(l)
		b.must(box, `cat wiki/a.md; mkfifo wiki/p2`)
		got := b.changes(box)
		got.Warnings = nil
		b.want(got, `odd wiki/p2 (fifo)`)
	})
}

// TestHidden: hidden entries are not shown, protected ones not changed, injected ones there and no change.
func TestHidden(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a", ".git/config": "g", ".obsidian/x.json": "{}", "raw/s.md": "source", "schema.md": "s"})
		plant(t, b.top, map[string]string{"sources/s.md": "source"})
		b.spec.Hide = func(rel string, d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), ".") }
		b.spec.Protect = []string{"raw", "schema.md"}
		b.spec.Inject = map[string]string{".rig-readonly/s.md": b.top + "/sources/s.md"}
		before := image(t, b.top)
		box := b.open(l)
		b.must(box, `[ ! -e .git ]; [ ! -e .obsidian ]; [ "$(cat .rig-readonly/s.md)" = source ]
			echo x >raw/s.md || echo denied; rm -rf raw || echo denied; mkdir -p .git; echo evil >.git/config; echo b >b.md`)
		got := b.changes(box)
		for _, c := range got.List {
			if c.Kind != Create {
				t.Errorf("%+v", c)
			}
		}
		if l := strings.Join(lines(got), "\n"); !strings.Contains(l, `create .git/config -> "evil\n"`) || !strings.Contains(l, `create b.md`) {
			t.Error(l)
		}
		box.Close()
		same(t, "all", before, image(t, b.top))
	})
}

// TestGone: a file that counts as deleted is not shown; what is made in its place is new, and no loss of it is told, whatever becomes of its folder.
func TestGone(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a", "sub/b.md": "b", "sub/c.md": "c", "sub/deep/d.md": "d", "e.md": "e", "f.md": "f", "raw/s.md": "s", ".git/g.md": "g"})
		b.spec.Hide = hideDots
		b.spec.Protect = []string{"raw"}
		b.spec.Gone = []string{"a.md", "sub/b.md", "sub/deep/d.md", "e.md", "f.md", "none/at/all.md", ".git/g.md", "raw/s.md"}
		before := image(t, b.root)
		box := b.open(l)
		b.must(box, `[ ! -e a.md ]; [ ! -e sub/b.md ]; [ ! -e e.md ]; [ ! -e .git ]; [ ! -e none ]
			[ "$(ls sub)" = "$(printf 'c.md\ndeep')" ]; [ "$(ls sub/deep)" = "" ]
			echo new >sub/b.md; mv sub/c.md e.md; rmdir sub/deep; mkdir f.md; echo x >f.md/x.md`)
		b.want(b.changes(box), `create e.md -> "c"`, `create f.md/x.md -> "x\n"`, `create sub/b.md -> "new\n"`, `delete sub/c.md "c"`, "dir f.md")
		box.Close()
		same(t, "the folder", before, image(t, b.root))
	})
}

// TestKeepBack: of the program's own HOME a refreshed credential comes back, nothing else.
func TestKeepBack(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		plant(t, b.home, map[string]string{".agent/auth.json": `{"t":1}`, ".agent/settings.json": `{}`, ".agent/big.json": `{"b":1}`, ".agent/link.json": `{"l":1}`,
			".agent/bad.json": `{"j":1}`, ".agent.json": `{"top":1}`, ".ssh/id": "key", ".bashrc": "rc"})
		b.spec.State = []string{".agent", ".agent.json"}
		b.spec.KeepBack = []string{".agent/auth.json", ".agent/big.json", ".agent/link.json", ".agent/bad.json", ".agent.json"}
		before := image(t, b.home)
		box := b.open(l)
		c := sh(`set -e; cd "$HOME"; [ ! -e .ssh ]; [ ! -e .bashrc ]; [ "$(cat .agent/auth.json)" = '{"t":1}' ]
			echo '{"t":2}' >.agent/new; mv .agent/new .agent/auth.json; echo '{"hooks":1}' >.agent/settings.json; echo evil >.bashrc
			echo '{"top":2}' >t; mv t .agent.json; head -c 2000000 /dev/zero >.agent/big.json; ln -sf /etc/passwd .agent/link.json; echo '{' >.agent/bad.json`)
		c.Env = append(c.Env, "HOME="+b.home)
		var out strings.Builder
		c.Stderr = &out
		if e, err := box.Run(t.Context(), c); err != nil || e.Code != 0 {
			t.Fatalf("%+v %v %s", e, err, out.String())
		}
		after := image(t, b.home)
		for p, text := range map[string]string{".agent/auth.json": `{"t":2}`, ".agent.json": `{"top":2}`} {
			if !strings.HasSuffix(after[b.home+"/"+p], text+"\n") {
				t.Errorf("%s was not kept: %q", p, after[b.home+"/"+p])
			}
			delete(before, b.home+"/"+p)
			delete(after, b.home+"/"+p)
		}
		same(t, "home", before, after)
	})
}
