package task

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Order says what to check out.
type Order struct {
	Branch string // "task/0007-add-x", without refs/heads/
	// Exact is the commit to start from ("" finds it: the branch where it is there, else the newest main).
	Exact string
	Dir   string // where the clone comes to be; it must not exist
	// Borrow are ignored folders of the user's checkout, rel, that the agent shall see (node_modules): the clone ignores their names.
	Borrow []string
}

// Checkout is a clone for an agent.
type Checkout struct {
	Repo      *Repo
	Dir       string // of the clone
	Branch    string
	Main      string // newest commit of the main branch
	Base      string // commit that the branch left the main branch at: what its diff is against
	Start     string // commit that the agent starts from
	Continued bool   // the branch was there before
	User      Ident
	Refs      map[string]string // full name -> id: what the clone began with
	Visible   []string          // absolute paths that the clone needs to read
	Notes     []string          // what could not be as it should, a clause each
}

// Checkout makes a clone of the repository in o.Dir: a repository of its own that borrows the user's objects and has nothing else of theirs, no hooks
// and no configuration. The user's working tree, index and refs are not touched. The branch starts at the newest main commit, or where it was left.
func (r *Repo) Checkout(ctx context.Context, o Order) (*Checkout, error) {
	c := &Checkout{Repo: r, Dir: o.Dir, Branch: o.Branch}
	if _, err := r.git.line(ctx, r.Top, "check-ref-format", "refs/heads/"+o.Branch); err != nil || strings.HasPrefix(o.Branch, "-") {
		return nil, fmt.Errorf("%q cannot be the name of a branch", o.Branch)
	}
	var err error
	if c.User, err = r.Ident(ctx); err != nil {
		return nil, err
	}
	if err := c.findStart(ctx, o.Exact); err != nil {
		return nil, err
	}
	if err := c.make(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("make a checkout: %w", err), os.RemoveAll(o.Dir))
	}
	return c, c.noteHollow(ctx)
}

// noteHollow says what of the tree is not filled in: submodules are folders of other repositories, and files of Git LFS lie on a server of their own.
func (c *Checkout) noteHollow(ctx context.Context) error {
	out, err := c.Repo.git.run(ctx, call{dir: c.Repo.Top, args: []string{"ls-tree", "-r", "-z", c.Start}})
	if err != nil {
		return err
	}
	var subs []string
	lfs := false
	for e := range strings.SplitSeq(string(out), "\x00") {
		head, rel, _ := strings.Cut(e, "\t")
		switch {
		case strings.HasPrefix(head, modeSubmodule):
			subs = append(subs, rel)
		case !lfs && (rel == ".gitattributes" || strings.HasSuffix(rel, "/.gitattributes")):
			text, err := c.Repo.FileAt(ctx, c.Start, rel, 1<<20)
			lfs = err == nil && strings.Contains(string(text), "filter=lfs")
		}
	}
	if len(subs) > 3 {
		subs = append(subs[:3], "…")
	}
	if len(subs) > 0 {
		c.note("submodules are empty in the checkout, and a commit that moves one is refused: " + strings.Join(subs, ", "))
	}
	if lfs {
		c.note("files of Git LFS are pointers in the checkout; what the agent writes in their place is committed as it is, and flagged")
	}
	return nil
}

// findStart finds the commits that the checkout is about.
func (c *Checkout) findStart(ctx context.Context, exact string) error {
	var note string
	var err error
	if c.Main, note, err = c.Repo.Newest(ctx); err != nil {
		return err
	}
	c.note(note)
	if c.Main == "" {
		return fmt.Errorf("%s has no commit yet", c.Repo.Main)
	}
	c.Start = exact
	if exact == "" {
		if c.Start, note, err = c.Repo.newer(ctx, c.Branch); err != nil {
			return err
		}
		c.note(note)
	}
	if c.Continued = c.Start != ""; !c.Continued {
		c.Start, c.Base = c.Main, c.Main
		return nil
	}
	c.Base, err = c.Repo.git.line(ctx, c.Repo.Top, "merge-base", c.Main, c.Start)
	if err != nil {
		return fmt.Errorf("%s has no history in common with %s: %w", c.Branch, c.Repo.Main, err)
	}
	return nil
}

func (c *Checkout) note(text string) {
	if text != "" {
		c.Notes = append(c.Notes, text)
	}
}

// make writes the clone. What git clone would do is done by hand: it would take over configuration, and copy every ref.
func (c *Checkout) make(ctx context.Context, o Order) error {
	git := func(args ...string) error {
		_, err := c.Repo.git.run(ctx, call{dir: o.Dir, args: args})
		return err
	}
	if err := os.Mkdir(o.Dir, 0o700); err != nil {
		return err
	}
	if err := git("init", "--quiet", "--template=", "--object-format="+c.Repo.Format, "--initial-branch="+o.Branch); err != nil {
		return err
	}
	borrowed, err := c.Repo.lend(filepath.Join(o.Dir, ".git"))
	if err != nil {
		return err
	}
	c.Visible = borrowed
	if err := c.writeRefs(ctx); err != nil {
		return err
	}
	for _, kv := range c.config(ctx) {
		if err := git("config", "--local", kv[0], kv[1]); err != nil {
			return err
		}
	}
	var ignore strings.Builder
	for _, rel := range o.Borrow {
		fmt.Fprintf(&ignore, "/%s\n", strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(rel))
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, ".git", "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.Dir, ".git", "info", "exclude"), []byte(ignore.String()), 0o600); err != nil {
		return err
	}
	return git("reset", "--quiet", "--hard")
}

// lend makes the repository at gitDir borrow our objects, and gives the folders that must be readable for that.
func (r *Repo) lend(gitDir string) ([]string, error) {
	folders, err := r.ObjectFolders()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(folders, func(p string) bool { return strings.ContainsAny(p, "\n\"") }) {
		return nil, fmt.Errorf("the path %q cannot be written into a list of objects", folders)
	}
	info := filepath.Join(gitDir, "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return nil, err
	}
	// All of them by their real paths: git follows lenders of lenders, but not by relative paths.
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(strings.Join(folders, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(r.Common, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return folders, nil
	}
	if err != nil {
		return nil, err
	}
	return folders, os.WriteFile(filepath.Join(gitDir, "shallow"), text, 0o600)
}

// writeRefs gives the clone the branch, the main branch as it is here and at the remote, and the tags, which builds ask for.
func (c *Checkout) writeRefs(ctx context.Context) error {
	refs := map[string]string{"refs/heads/" + c.Repo.Main: c.Main, "refs/heads/" + c.Branch: c.Start}
	if c.Repo.Remote != "" {
		refs["refs/remotes/"+c.Repo.Remote+"/"+c.Repo.Main] = c.Main
		if there, err := c.Repo.Resolve(ctx, "refs/remotes/"+c.Repo.Remote+"/"+c.Branch); err != nil {
			return err
		} else if there != "" {
			refs["refs/remotes/"+c.Repo.Remote+"/"+c.Branch] = there
		}
	}
	tags, err := c.Repo.git.line(ctx, c.Repo.Top, "for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
	if err != nil {
		return err
	}
	for line := range strings.Lines(tags) {
		if oid, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs[ref] = oid
		}
	}
	c.Refs = refs
	var b strings.Builder
	for _, ref := range sorted(refs) {
		fmt.Fprintf(&b, "create %s\x00%s\x00", ref, refs[ref])
	}
	_, err = c.Repo.git.run(ctx, call{dir: c.Dir, stdin: strings.NewReader(b.String()), args: []string{"update-ref", "-z", "--stdin"}})
	if err != nil {
		return err
	}
	_, err = c.Repo.git.run(ctx, call{dir: c.Dir, args: []string{"pack-refs", "--all"}})
	return err
}

// config is what the clone is told. Commits carry the user's name also where an agent's shell loses its environment.
func (c *Checkout) config(ctx context.Context) [][2]string {
	kv := [][2]string{{"user.name", c.User.Name}, {"user.email", c.User.Email}, {"gc.auto", "0"}, {"maintenance.auto", "false"}, {"commit.gpgSign", "false"}, {"tag.gpgSign", "false"}}
	if url := c.Repo.remoteURL(ctx); url != "" {
		r := c.Repo.Remote
		kv = append(kv, [2]string{"remote." + r + ".url", url}, [2]string{"remote." + r + ".fetch", "+refs/heads/*:refs/remotes/" + r + "/*"},
			[2]string{"branch." + c.Branch + ".remote", r}, [2]string{"branch." + c.Branch + ".merge", "refs/heads/" + c.Branch})
	}
	return kv
}

// Env is what git inside the sandbox is told of the user ("K=V"): who commits, and that nobody can be asked.
func (c *Checkout) Env() []string {
	return []string{
		"GIT_AUTHOR_NAME=" + c.User.Name, "GIT_AUTHOR_EMAIL=" + c.User.Email, "GIT_COMMITTER_NAME=" + c.User.Name, "GIT_COMMITTER_EMAIL=" + c.User.Email,
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_MERGE_AUTOEDIT=no", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat",
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
