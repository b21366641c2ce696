package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile is one thing that an agent does to its folder; the numbers are those of the project's list of hostile behaviours.
type hostile struct {
	no     string
	script string   // ignores what fails; echoes "bad …" where something worked that must not
	want   []string // lines of the changes, all of them; nil: any
	only   string   // a layer
}

// hostiles work on: a.md, b.md, c.md, d/x.md, d/y.md, raw/s1.md, raw/s2.md, schema.md, purpose.md, and the links abs.md (to raw/s1.md, absolute),
// rel.md (to raw/s2.md), .git/config hidden; raw, schema.md and purpose.md protected; .rig-readonly/schema.md laid in.
func hostiles() []hostile {
	return []hostile{
		{"1 page becomes a link", `ln -sf /etc/passwd a.md`, []string{"odd a.md (symlink)"}, ""},
		{"2 folder becomes a link", `rm -r d; ln -s /etc d; echo x >d/evil && echo bad`, []string{"odd d (symlink)", `delete d/x.md "x\n"`, `delete d/y.md "y\n"`}, ""},
		{"3 link to raw, write through", `ln -s raw r; echo x >r/s1.md; echo x >rel.md`, []string{"odd r (symlink)"}, "overlay"},
		{"4 absolute link of the folder, write through", `echo x >>abs.md`, []string{}, "overlay"},
		{"4b the same, where it was left out", `echo x >>abs.md`, []string{"odd abs.md (symlink)"}, "copy"},
		{"5 hard link to raw", `ln raw/s1.md h.md && echo bad; echo x >>h.md; rm -f h.md`, []string{}, "overlay"},
		{"6 hard link between pages", `ln a.md h.md; echo x >h.md`, []string{`odd a.md (hardlink)`, `odd h.md (hardlink)`}, ""},
		{"8 raw file moved out", `mv raw/s1.md n.md; echo x >>n.md`, []string{`create n.md -> "one\nx\n"`}, "overlay"},
		{"9 raw moved away", `mv raw raw.old && echo bad; rm -rf raw.old`, []string{}, "overlay"},
		{"10 protected removed", `rm -rf raw purpose.md schema.md; echo x >schema.md && echo bad; ls raw/s1.md schema.md >/dev/null || echo bad`, []string{}, "overlay"},
		{"20 protected by other spellings", `echo x >./schema.md && echo bad; echo x >d/../schema.md && echo bad; echo x >"$PWD/raw/s1.md" && echo bad; chmod 777 schema.md && echo bad; touch raw/new && echo bad`, []string{}, "overlay"},
		{"21 read-only folder", `rm -rf .rig-readonly; mv .rig-readonly x && echo bad; echo x >.rig-readonly/schema.md && echo bad; echo x >.rig-readonly/new && echo bad; chmod u+w .rig-readonly/schema.md && echo bad`, []string{}, "overlay"},
		{"22 a repository", `mkdir -p .git/hooks; echo x >.git/hooks/pre-commit; echo y >.gitattributes`, []string{`create .git/hooks/pre-commit -> "x\n"`, `create .gitattributes -> "y\n"`, "dir .git", "dir .git/hooks"}, ""},
		{"25 page that looks like a diff", `printf -- '--- a/raw/x\n+++ b/schema.md\n@@ -1 +1 @@\n' >a.md`, []string{`edit a.md "a\n" -> "--- a/raw/x\n+++ b/schema.md\n@@ -1 +1 @@\n"`}, ""},
		{"27 line ends", `printf 'a\r\nb\rc\342\200\250\357\273\277' >a.md`, []string{"edit a.md \"a\\n\" -> \"a\\r\\nb\\rc\\u2028\\ufeff\""}, ""},
		{"29 giants", `truncate -s 10G a.md; head -c 9000000 /dev/zero >z.md`, []string{"odd a.md (too-large)", "odd z.md (too-large)"}, ""},
		{"31 fifo and socket over pages", `rm a.md b.md; mkfifo a.md; mkfifo b.md`, []string{"odd a.md (fifo)", "odd b.md (fifo)"}, ""},
		{"32 whiteouts of its own", `rm a.md; mknod a.md c 0 0 && echo bad; mknod n c 1 3 && echo bad`, []string{`delete a.md "a\n"`}, "overlay"},
		{"33 marks of its own", `setfattr -n user.overlay.opaque -v y d; setfattr -n user.overlay.whiteout -v y a.md; setfattr -n user.overlay.redirect -v /raw d; echo X >d/x.md`, []string{`edit d/x.md "x\n" -> "X\n"`}, ""},
		{"34 everything closed", `echo X >d/x.md; chmod -R 000 d a.md; chmod 000 .`, []string{`edit d/x.md "x\n" -> "X\n"`}, ""},
		{"36 all removed", `find . -mindepth 1 -delete`, []string{`delete a.md "a\n"`, `odd abs.md (symlink)`, `delete b.md "b\n"`, `delete c.md "c\n"`, `delete d/x.md "x\n"`, `delete d/y.md "y\n"`, `odd rel.md (symlink)`}, "overlay"},
		{"37 folder renamed", `mv d e`, []string{`delete d/x.md "x\n"`, `delete d/y.md "y\n"`, `create e/x.md -> "x\n"`, `create e/y.md -> "y\n"`, "dir e"}, ""},
		{"38 pages swapped", `mv a.md t; mv b.md a.md; mv t b.md`, []string{`edit a.md "a\n" -> "b\n"`, `edit b.md "b\n" -> "a\n"`}, ""},
		{"40 deep nesting", `p=$(printf 'n/%.0s' $(seq 200)); mkdir -p $p; echo x >$p/deep.md`, nil, ""},
		{"41 long names", `n=$(printf 'x%.0s' $(seq 252)).md; echo x >"$n"`, nil, ""},
		{"43 disk full", `head -c 100000000 /dev/zero >big && echo bad; head -c 100000000 /dev/zero >/tmp/big && echo bad; rm -f big /tmp/big; echo X >a.md`, []string{`edit a.md "a\n" -> "X\n"`}, "overlay"},
		{"44 a daemon writes later", `(setsid sh -c 'sleep 20; echo late >late.md' >/dev/null 2>&1 &) ; echo X >a.md`, []string{`edit a.md "a\n" -> "X\n"`}, ""},
		{"47 kills all it can", `kill -9 $PPID; kill -9 1; echo X >a.md`, []string{`edit a.md "a\n" -> "X\n"`}, ""},
		{"51 HOME", `echo evil >"$HOME/.bashrc"; mkdir -p "$HOME/.ssh"; echo evil >"$HOME/.ssh/authorized_keys"; echo '{}' >"$HOME/.agent/settings.json"`, []string{}, ""},
		{"54 the system", `echo x >/etc/evil && echo bad; echo x >/usr/evil && echo bad; rm -f /bin/true; [ -x /bin/true ] || echo bad; echo x >/tmp/x; echo X >a.md`, []string{`edit a.md "a\n" -> "X\n"`}, ""},
		{"67 times", `echo b >a.md; touch -d 1970-01-01 a.md; echo c >b.md; touch -d 2100-01-01 b.md; echo n >n.md; touch -d @0 n.md`,
			[]string{`edit a.md "a\n" -> "b\n"`, `edit b.md "b\n" -> "c\n"`, `create n.md -> "n\n"`}, ""},
		{"68 the same bytes again", `cat a.md >t; cp t a.md; mv t b2; rm b2; cp b.md t; mv t b.md`, []string{}, ""},
		{"75 inherited files", `ls /proc/self/fd | grep -vxE '[0123]|10' && echo bad; echo` /* 10 is the shell's script */, []string{}, ""},
		{"75b environment", `env | grep -i secret && echo bad; echo`, []string{}, ""},
		{"79 names that differ by case", `echo 1 >N.md; echo 2 >n.md`, []string{`create N.md -> "1\n"`, `create n.md -> "2\n"`}, ""},
	}
}

// TestHostile: whatever it does, folder, HOME and neighbours are byte for byte what they were, and nothing runs on.
func TestHostile(t *testing.T) {
	if err := os.Setenv("RIG_TEST_SECRET", "s"); err != nil { // not t.Setenv, which excludes parallel tests
		t.Fatal(err)
	}
	defer os.Unsetenv("RIG_TEST_SECRET")
	for name, l := range map[string]Layer{"overlay": Overlay(OverlayOptions{}), "copy": Copy(CopyOptions{}), "disk": Overlay(OverlayOptions{Upper: OnDisk})} {
		t.Run(name, func(t *testing.T) {
			need(t, l)
			for _, h := range hostiles() {
				if h.only != "" && h.only != name && !(name == "disk" && h.only == "overlay" && h.no[:2] != "43") {
					continue
				}
				t.Run(h.no, func(t *testing.T) {
					t.Parallel()
					h.play(t, l)
				})
			}
		})
	}
}

func (h hostile) play(t *testing.T, l Layer) {
	b := newBench(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n", "d/x.md": "x\n", "d/y.md": "y\n", "raw/s1.md": "one\n", "raw/s2.md": "two\n",
		"schema.md": "schema\n", "purpose.md": "purpose\n", "rel.md": "-> raw/s2.md", ".git/config": "config\n"})
	plant(t, b.root, map[string]string{"abs.md": "-> " + b.root + "/raw/s1.md"})
	plant(t, b.home, map[string]string{".bashrc": "rc\n", ".ssh/id": "key\n", ".agent/settings.json": "{}"})
	b.spec.Protect = []string{"raw", "schema.md", "purpose.md"}
	b.spec.Inject = map[string]string{".rig-readonly/schema.md": filepath.Join(b.root, "schema.md")}
	b.spec.State = []string{".agent"}
	b.spec.Hide = hideDots
	b.spec.Limits = Limits{Upper: 32 << 20, Grace: time.Second}
	before := image(t, b.top)
	box := b.open(l)
	c := sh(h.script)
	c.Env = append(c.Env, "HOME="+b.home)
	var out strings.Builder
	c.Stdout = &out
	e, err := box.Run(t.Context(), c)
	if err != nil || e.Why != Exited {
		t.Fatalf("%+v %v", e, err)
	}
	if strings.Contains(out.String(), "bad") {
		t.Errorf("something worked that must not: %s", out.String())
	}
	got := b.changes(box)
	got.Warnings = nil
	if h.want != nil {
		b.want(got, h.want...)
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	same(t, "host", before, image(t, b.top))
}

// TestFloodOfFiles: an endless number of files ends inside, or refuses the run.
func TestFloodOfFiles(t *testing.T) {
	each(t, func(t *testing.T, l Layer) {
		b := newBench(t, map[string]string{"a.md": "a"})
		b.spec.Limits = Limits{Inodes: 500, Files: 100_000}
		box := b.open(l)
		var out strings.Builder
		c := sh(`i=0; while [ $i -lt 1000 ]; do : >f$i || break; i=$((i+1)); done; echo $i`)
		c.Stdout = &out
		if _, err := box.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		ch := b.changes(box)
		if out.String() == "1000\n" && ch.Overflow == "" {
			t.Errorf("%s files, %d read", out.String(), len(ch.List))
		}
	})
}
