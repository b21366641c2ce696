package task

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
)

// FileChange is one path that differs between the branch's base and its tip.
type FileChange struct {
	Path, From string // From: of a rename
	Kind       string // create edit rename delete
	Old, New   []byte // texts; nil where there is none
	Unread     string // why the texts were not read, a clause: "too large"; "" where they were
	Unpointed  bool   // a pointer of Git LFS stood there, and now something else does
}

// Diff lists what the branch changes against the commit from, or where that is "" against its base, with texts up to fileBytes each and allBytes together. Renames are paired as git's -M50%. The base
// is where the branch left the main branch; a merge of main moves it.
func (v *Verified) Diff(ctx context.Context, from string, fileBytes, allBytes int64) ([]FileChange, error) {
	c := v.Checkout
	dir := v.dir
	if len(v.Commits) == 0 && v.Tip == c.Start {
		dir = c.Repo.Top // no quarantine was needed
	}
	newest, _, err := c.Repo.Newest(ctx)
	if err != nil {
		return nil, err
	}
	if c.Base, err = c.Repo.git.line(ctx, dir, "merge-base", newest, v.Tip); err != nil {
		return nil, fmt.Errorf("find where %s left %s: %w", c.Branch, c.Repo.Main, err)
	}
	out, err := c.Repo.git.run(ctx, call{dir: dir, args: []string{"diff-tree", "-r", "-z", "--raw", "-M50%", "--no-abbrev", "--no-ext-diff", cmp.Or(from, c.Base), v.Tip}})
	if err != nil {
		return nil, fmt.Errorf("list what %s changes: %w", c.Branch, err)
	}
	list, blobs, err := parseChanges(string(out))
	if err != nil {
		return nil, err
	}
	return list, c.Repo.readBlobs(ctx, dir, list, blobs, fileBytes, allBytes)
}

// pair are the blobs of a change.
type pair struct{ old, new string }

func parseChanges(out string) (list []FileChange, blobs []pair, err error) {
	next := func() (s string) {
		s, out, _ = strings.Cut(out, "\x00")
		return s
	}
	for out != "" {
		f := strings.Fields(strings.TrimPrefix(next(), ":"))
		if len(f) != 5 || f[4] == "" {
			return nil, nil, fmt.Errorf("read git's list of changes: %q", f)
		}
		ch, b := FileChange{Path: next()}, pair{f[2], f[3]}
		switch f[4][0] {
		case 'A':
			ch.Kind, b.old = "create", ""
		case 'D':
			ch.Kind, b.new = "delete", ""
		case 'R':
			ch.Kind, ch.From, ch.Path = "rename", ch.Path, next()
		default:
			ch.Kind = "edit"
		}
		if f[0] == modeSubmodule || f[1] == modeSubmodule {
			b, ch.Unread = pair{}, "a submodule"
		}
		list, blobs = append(list, ch), append(blobs, b)
	}
	return list, blobs, nil
}

// readBlobs fills in the texts, by one git.
func (r *Repo) readBlobs(ctx context.Context, dir string, list []FileChange, blobs []pair, fileBytes, allBytes int64) error {
	var want []string
	for _, b := range blobs {
		for _, oid := range []string{b.old, b.new} {
			if oid != "" {
				want = append(want, oid)
			}
		}
	}
	if len(want) == 0 {
		return nil
	}
	sizes, err := r.sizes(ctx, dir, want)
	if err != nil {
		return err
	}
	var ask []string
	for i, b := range blobs {
		n := sizes[b.old] + sizes[b.new]
		switch {
		case list[i].Unread != "":
		case sizes[b.old] > fileBytes || sizes[b.new] > fileBytes || n > allBytes:
			list[i].Unread = "too large"
			if b.old != "" && sizes[b.old] <= maxPointer {
				ask = append(ask, b.old)
			}
		default:
			allBytes -= n
			for _, oid := range []string{b.old, b.new} {
				if oid != "" {
					ask = append(ask, oid)
				}
			}
		}
	}
	texts, err := r.texts(ctx, dir, ask)
	if err != nil {
		return err
	}
	for i, b := range blobs {
		list[i].Unpointed = b.new != "" && isPointer(texts[b.old]) && !isPointer(texts[b.new])
		if list[i].Unread != "" {
			continue
		}
		if list[i].Old, list[i].New = texts[b.old], texts[b.new]; isBinary(list[i].Old) || isBinary(list[i].New) {
			list[i].Old, list[i].New, list[i].Unread = nil, nil, "not text"
		}
	}
	return nil
}

// maxPointer bounds a pointer of Git LFS, in bytes (its specification: docs/spec.md, "The Pointer").
const maxPointer = 1024

// isPointer tells whether a text is a pointer of Git LFS: its first line names the version.
func isPointer(text []byte) bool {
	return len(text) <= maxPointer && bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/v1\n"))
}

func isBinary(text []byte) bool { return strings.Contains(string(text[:min(len(text), 8000)]), "\x00") }

func (r *Repo) sizes(ctx context.Context, dir string, oids []string) (map[string]int64, error) {
	out, err := r.git.run(ctx, call{dir: dir, stdin: strings.NewReader(strings.Join(oids, "\n") + "\n"), args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}})
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for line := range strings.Lines(string(out)) {
		var oid string
		var n int64
		if _, err := fmt.Sscan(line, &oid, &n); err != nil {
			return nil, fmt.Errorf("git cat-file: %q", line)
		}
		sizes[oid] = n
	}
	return sizes, nil
}

func (r *Repo) texts(ctx context.Context, dir string, oids []string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	if len(oids) == 0 {
		return texts, nil
	}
	out, err := r.git.run(ctx, call{dir: dir, stdin: strings.NewReader(strings.Join(oids, "\n") + "\n"), args: []string{"cat-file", "--batch=%(objectname) %(objectsize)"}})
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(strings.NewReader(string(out)))
	for range oids {
		var oid string
		var n int
		if _, err := fmt.Fscanf(in, "%s %d\n", &oid, &n); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		text := make([]byte, n+1) // and a line break
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		texts[oid] = text[:n]
	}
	return texts, nil
}
