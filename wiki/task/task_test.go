package task

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bench is a remote, the user's clone of it, and a checkout for an agent.
type bench struct {
	t      *testing.T
	top    string
	remote string // bare
	repo   string // the user's
	git    *Git
	env    []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, top: top, remote: filepath.Join(top, "remote.git"), repo: filepath.Join(top, "repo")}
	b.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + top, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	b.write("gitconfig", "")
	b.write(".gitconfig", "[user]\n\tname = Ann Other\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n\ttemplateDir = \n")
	if b.git, err = FindGit(b.env); err != nil {
		t.Fatal(err)
	}
	b.do(top, "init", "-q", "--bare", b.remote)
	b.do(top, "init", "-q", b.repo)
	b.write("repo/tasks/0007-add-x.md", "# Add x\n")
	b.write("repo/main.txt", "one\n")
	b.do(b.repo, "add", "-A")
	b.do(b.repo, "commit", "-qm", "first")
	b.do(b.repo, "remote", "add", "origin", b.remote)
	b.do(b.repo, "push", "-q", "-u", "origin", "main")
	return b
}

func (b *bench) write(rel, text string) {
	b.t.Helper()
	p := filepath.Join(b.top, rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// do runs git as a person would.
func (b *bench) do(dir string, args ...string) string {
	b.t.Helper()
	return b.with(nil, dir, args...)
}

func (b *bench) with(env []string, dir string, args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(append([]string{}, b.env...), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bench) open() *Repo {
	b.t.Helper()
	r, err := Open(b.t.Context(), b.git, filepath.Join(b.repo, "tasks"))
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) checkout(o Order) *Checkout {
	b.t.Helper()
	if o.Branch == "" {
		o.Branch = "task/0007-add-x"
	}
	o.Dir = filepath.Join(b.top, "run", "checkout")
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.RemoveAll(o.Dir); err != nil {
		b.t.Fatal(err)
	}
	c, err := b.open().Checkout(b.t.Context(), o)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// commit plays the agent: it writes a file and commits it.
func (b *bench) commit(c *Checkout, name, text string) string {
	b.t.Helper()
	p := filepath.Join(c.Dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.with(c.Env(), c.Dir, "add", "-A", "-f")
	b.with(c.Env(), c.Dir, "commit", "-qm", "change "+name)
	return b.do(c.Dir, "rev-parse", "HEAD")
}

func (b *bench) bundle(c *Checkout, args ...string) []byte {
	b.t.Helper()
	if len(args) == 0 {
		args = []string{"refs/heads/" + c.Branch, "--not", c.Start, c.Main}
	}
	file := filepath.Join(b.top, "run", "out.bundle")
	b.do(c.Dir, append([]string{"bundle", "create", "-q", file}, args...)...)
	text, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

func (b *bench) verify(c *Checkout, bundle []byte) (*Verified, error) {
	dir := filepath.Join(b.top, "run", "quarantine")
	v, err := c.Verify(b.t.Context(), bytes.NewReader(bundle), dir, DefaultBounds())
	if err != nil {
		if _, e := os.Stat(dir); e == nil {
			b.t.Error("a rejected bundle leaves its quarantine behind")
		}
		return nil, err
	}
	b.t.Cleanup(func() {
		if err := v.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return v, nil
}

// refs lists all refs of a repository.
func (b *bench) refs(dir string) string { return b.do(dir, "for-each-ref") }

func TestCheckoutAndImport(t *testing.T) {
	b := newBench(t)
	c := b.checkout(Order{Borrow: []string{"node_modules"}})
	if c.Continued || c.Start != c.Main || c.Base != c.Main {
		t.Errorf("%+v", c)
	}
	if got := b.do(c.Dir, "symbolic-ref", "HEAD"); got != "refs/heads/task/0007-add-x" {
		t.Error(got)
	}
	if got := b.do(c.Dir, "status", "--porcelain"); got != "" {
		t.Error(got)
	}
	before, tree := b.refs(b.repo), b.do(b.repo, "status", "--porcelain", "--ignored")
	tip := b.commit(c, "x.txt", "x\n")
	v, err := b.verify(c, b.bundle(c))
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Commits) != 1 || v.Tip != tip {
		t.Errorf("%+v", v)
	}
	if got := b.refs(b.repo); got != before {
		t.Errorf("verifying changed refs:\n%s", got)
	}
	im, err := v.Import(t.Context(), "run-1")
	if err != nil || im.Ref != "refs/heads/task/0007-add-x" || im.Aside != "" {
		t.Fatal(im, err)
	}
	if got := b.do(b.repo, "log", "-1", "--format=%H %an <%ae> %cn", "task/0007-add-x"); got != tip+" Ann Other <ann@example.org> Ann Other" {
		t.Error(got)
	}
	if got := b.do(b.repo, "status", "--porcelain", "--ignored"); got != tree {
		t.Errorf("the user's tree changed: %s", got)
	}
	b.do(b.repo, "fsck", "--strict")

	// continued
	c = b.checkout(Order{})
	if !c.Continued || c.Start != tip || c.Base != c.Main {
		t.Errorf("%+v", c)
	}
	b.commit(c, "y.txt", "y\n")
	if v, err = b.verify(c, b.bundle(c)); err != nil {
		t.Fatal(err)
	}
	if im, err = v.Import(t.Context(), "run-2"); err != nil || im.Aside != "" {
		t.Fatal(im, err)
	}
	if got := b.do(b.repo, "rev-list", "--count", "main..task/0007-add-x"); got != "2" {
		t.Error(got)
	}
}

func TestNothingCommitted(t *testing.T) {
	b := newBench(t)
	c := b.checkout(Order{})
	v, err := b.verify(c, nil)
	if err != nil || len(v.Commits) != 0 || v.Tip != c.Start {
		t.Fatal(v, err)
	}
}

func TestImportAside(t *testing.T) {
	b := newBench(t)
	b.do(b.repo, "branch", "task/0007-add-x")
	c := b.checkout(Order{})
	tip := b.commit(c, "x.txt", "x\n")
	v, err := b.verify(c, b.bundle(c))
	if err != nil {
		t.Fatal(err)
	}
	b.do(b.repo, "checkout", "-q", "task/0007-add-x")
	im, err := v.Import(t.Context(), "run-1")
	if err != nil || im.Ref != "refs/rig/run-1" || !strings.Contains(im.Aside, "checked out in "+b.repo) {
		t.Fatal(im, err)
	}
	if got := b.do(b.repo, "rev-parse", "refs/rig/run-1"); got != tip {
		t.Error(got)
	}
	b.write("repo/mine.txt", "mine\n")
	b.do(b.repo, "add", "-A")
	b.do(b.repo, "commit", "-qm", "mine")
	b.do(b.repo, "checkout", "-q", "main")
	im, err = v.Import(t.Context(), "run-2")
	if err != nil || im.Ref != "refs/rig/run-2" || !strings.Contains(im.Aside, "moved meanwhile") {
		t.Fatal(im, err)
	}
}

// TestHostile has the agent try what must not come in.
func TestHostile(t *testing.T) {
	tree := func(entry string) func(*testing.T, *bench, *Checkout) []byte {
		return func(t *testing.T, b *bench, c *Checkout) []byte {
			mode, name, _ := strings.Cut(entry, " ")
			blob := b.do(c.Dir, "rev-parse", "HEAD:main.txt")
			typ := "blob"
			switch mode {
			case "040000":
				typ, blob = "tree", b.do(c.Dir, "rev-parse", "HEAD:tasks")
			case "160000":
				typ, blob = "commit", c.Start
			case "120000":
				var target string
				name, target, _ = strings.Cut(name, " -> ")
				cmd := exec.Command("git", "hash-object", "-w", "--stdin")
				cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, b.env, strings.NewReader(target)
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				blob = strings.TrimSpace(string(out))
			}
			list := b.do(c.Dir, "ls-tree", "HEAD") + "\n" + mode + " " + typ + " " + blob + "\t" + name + "\n"
			cmd := exec.Command("git", "mktree", "--missing")
			cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, b.env, strings.NewReader(list)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			commit := b.with(c.Env(), c.Dir, "commit-tree", "-p", "HEAD", "-m", "odd", strings.TrimSpace(string(out)))
			b.do(c.Dir, "update-ref", "refs/heads/"+c.Branch, commit)
			// and takes it away again: it is in the history all the same
			again := b.with(c.Env(), c.Dir, "commit-tree", "-p", commit, "-m", "gone", c.Start+"^{tree}")
			b.do(c.Dir, "update-ref", "refs/heads/"+c.Branch, again)
			return b.bundle(c)
		}
	}
	for _, tc := range []struct {
		name string
		rule []string // any of
		make func(*testing.T, *bench, *Checkout) []byte
	}{
		{"amended", []string{"rewrite"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.with(c.Env(), c.Dir, "commit", "-q", "--amend", "-m", "other")
			return b.bundle(c, "refs/heads/"+c.Branch)
		}},
		{"orphan", []string{"rewrite"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			commit := b.with(c.Env(), c.Dir, "commit-tree", "-m", "root", "HEAD^{tree}")
			b.do(c.Dir, "update-ref", "refs/heads/"+c.Branch, commit)
			return b.bundle(c, "refs/heads/"+c.Branch)
		}},
		{"another ref too", []string{"bundle"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.commit(c, "x.txt", "x\n")
			b.do(c.Dir, "branch", "other")
			return b.bundle(c, "refs/heads/"+c.Branch, "refs/heads/other", "--not", c.Start)
		}},
		{"another ref alone", []string{"bundle"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.commit(c, "x.txt", "x\n")
			b.do(c.Dir, "branch", "-f", "main")
			return b.bundle(c, "refs/heads/main", "--not", c.Start)
		}},
		{"author", []string{"author"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.with(c.Env(), c.Dir, "commit", "-q", "--allow-empty", "-m", "x", "--author=Eve <eve@example.org>")
			return b.bundle(c)
		}},
		{"committer", []string{"author"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.with(append(c.Env(), "GIT_COMMITTER_EMAIL=eve@example.org"), c.Dir, "commit", "-q", "--allow-empty", "-m", "x")
			return b.bundle(c)
		}},
		{".git file", []string{"hidden-path", "objects"}, tree("100644 .git")},
		{".GIT file", []string{"hidden-path", "objects"}, tree("100644 .GIT")},
		{".git folder", []string{"hidden-path", "objects"}, tree("040000 .Git")},
		{"git~1", []string{"hidden-path", "objects"}, tree("040000 GIT~1")},
		{".git with a space", []string{"hidden-path", "objects"}, tree("040000 .git ")},
		{".git with a dot", []string{"hidden-path", "objects"}, tree("040000 .git.")},
		{"stream", []string{"hidden-path", "objects"}, tree("040000 .git::$INDEX_ALLOCATION")},
		{"HFS", []string{"hidden-path", "objects"}, tree("040000 .g\u200cit")},
		{"full width", []string{"hidden-path"}, tree("040000 ．ｇｉｔ")},
		{"gitmodules", []string{"submodule", "objects"}, tree("100644 .gitmodules")},
		{"gitmodules in another case", []string{"submodule", "objects"}, tree("100644 .GitModules")},
		{"gitmodules by its short name", []string{"submodule", "objects"}, tree("100644 GITMOD~1")},
		{"submodule", []string{"submodule", "objects"}, tree("160000 sub")},
		{"link out", []string{"link"}, tree("120000 out -> ../../etc/passwd")},
		{"absolute link", []string{"link"}, tree("120000 out -> /etc/passwd")},
		{"link through a name", []string{"link"}, tree("120000 out -> tasks/../../x")},
		{"link into .git", []string{"link"}, tree("120000 hooks -> .git/hooks")},
		{"backslash", []string{"bad-name", "objects"}, tree(`100644 a\b`)},
		{"not a bundle", []string{"bundle"}, func(*testing.T, *bench, *Checkout) []byte { return []byte("hello\n") }},
		{"head alone", []string{"bundle"}, func(t *testing.T, b *bench, c *Checkout) []byte { return []byte("# v2 git bundle\n") }},
		{"no pack", []string{"objects"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			return []byte("# v2 git bundle\n" + c.Start + " refs/heads/" + c.Branch + "\n\n")
		}},
		{"cut off", []string{"objects"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.commit(c, "x.txt", "x\n")
			text := b.bundle(c)
			return text[:len(text)-30]
		}},
		{"a tip that is not in it", []string{"objects"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			tip := b.commit(c, "x.txt", "x\n")
			return bytes.Replace(b.bundle(c), []byte(tip), []byte(strings.Repeat("ab", 20)), 1)
		}},
		{"needs what is not there", []string{"bundle"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			b.commit(c, "x.txt", "x\n")
			return bytes.Replace(b.bundle(c), []byte("-"+c.Start), []byte("-"+strings.Repeat("ab", 20)), 1)
		}},
		{"filter", []string{"bundle"}, func(t *testing.T, b *bench, c *Checkout) []byte {
			return []byte("# v3 git bundle\n@filter=blob:none\n\n")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			c := b.checkout(Order{})
			before := b.refs(b.repo)
			_, err := b.verify(c, tc.make(t, b, c))
			var r *Rejection
			if !errors.As(err, &r) || !strings.Contains(" "+strings.Join(tc.rule, " ")+" ", " "+r.Rule+" ") {
				t.Fatalf("%v, want a rejection by %v", err, tc.rule)
			}
			if got := b.refs(b.repo); got != before {
				t.Errorf("refs changed:\n%s", got)
			}
			b.do(b.repo, "fsck")
		})
	}
}
