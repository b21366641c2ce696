package adapters

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// WireRequest names the project to wire.
type WireRequest struct {
	Project string // absolute
	DryRun  bool
	Remove  bool
	Env     Env
}

// WireReport tells what wiring did.
type WireReport struct {
	Status string      // ok: it was so already; fixed: files were changed, or would be; none: there is no way, or nothing to take back
	Files  []WiredFile // that were looked at
	Lines  []string    // what else a person should know
}

// WiredFile is one file of a project.
type WiredFile struct {
	Path   string `json:"path"`   // relative to the project
	Change string `json:"change"` // create, edit, remove, keep
	What   string `json:"what"`
}

// A wireTarget is what an agent reads in a project: add and strip are each other's inverse.
type wireTarget interface {
	// add gives the text with our part as it should be; text that has it so comes back unchanged. The text of a missing file is empty.
	add(old []byte) (text []byte, notes []string, err error)
	// strip takes our part out, whatever its version; count is how many pieces there were.
	strip(old []byte) (text []byte, count int, err error)
	// nothing tells whether what strip left is no reason for a file.
	nothing(text []byte) bool
}

// wireFile adds our part to a file of the project, or takes it out.
func wireFile(r WireRequest, rel string, target wireTarget) (WireReport, error) {
	root, err := os.OpenRoot(r.Project)
	if err != nil {
		return WireReport{}, fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	p := wiredProject{root: root, req: r, rel: rel}
	if p.rel, err = p.resolve(rel); err != nil {
		return WireReport{}, err
	}
	f := WiredFile{Path: rel, Change: "keep"}
	old, exists, err := p.read()
	if err != nil {
		return WireReport{}, err
	}
	if r.Remove {
		f.Change, f.What, err = p.remove(target, old, exists)
	} else {
		f.Change, f.What, err = p.add(target, old, exists)
	}
	var broken *SettingsError
	if errors.As(err, &broken) {
		broken.File = filepath.Join(r.Project, rel)
		return WireReport{}, broken
	}
	if err != nil {
		return WireReport{}, fmt.Errorf("%s: %w", rel, err)
	}
	report := WireReport{Status: "fixed", Files: []WiredFile{f}}
	if f.Change == "keep" {
		report.Status = "ok"
	}
	return report, nil
}

// wiredProject is a file of a project, reached without ever leaving it.
type wiredProject struct {
	root *os.Root
	req  WireRequest
	rel  string // slash-separated, links resolved
}

// maxSettings bounds what is read of a project's file.
const maxSettings = 4 << 20

// resolve follows a link in the last place, which a rename would replace. Links out of the project are refused, here and by os.Root.
func (p wiredProject) resolve(rel string) (string, error) {
	for range 8 {
		fi, err := p.root.Lstat(rel)
		if errors.Is(err, fs.ErrNotExist) {
			return rel, nil
		}
		if err != nil {
			return "", fmt.Errorf("%s leads out of the project, or cannot be read: %w", rel, err)
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			return rel, nil
		}
		to, err := p.root.Readlink(rel)
		if err != nil {
			return "", fmt.Errorf("read the link %s: %w", rel, err)
		}
		next := path.Join(path.Dir(rel), filepath.ToSlash(to))
		if filepath.IsAbs(to) || !filepath.IsLocal(next) {
			return "", fmt.Errorf("%s is a link out of the project, to %s: it is left alone", rel, to)
		}
		rel = next
	}
	return "", fmt.Errorf("%s is a chain of links", rel)
}

func (p wiredProject) read() (text []byte, exists bool, err error) {
	fi, err := p.root.Stat(p.rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s leads out of the project, or cannot be read: %w", p.rel, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%s is not a file", p.rel)
	}
	f, err := p.root.Open(p.rel)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if text, err = io.ReadAll(io.LimitReader(f, maxSettings+1)); err == nil && len(text) > maxSettings {
		err = fmt.Errorf("%s is over %d bytes", p.rel, maxSettings)
	}
	return text, true, err
}

func (p wiredProject) add(target wireTarget, old []byte, exists bool) (change, what string, err error) {
	text, notes, err := target.add(old)
	if err != nil {
		return "", "", err
	}
	if exists && bytes.Equal(text, old) {
		return "keep", "wired already", nil
	}
	change, what = "edit", strings.Join(notes, "; ")
	if !exists {
		change = "create"
	}
	if p.req.DryRun {
		return change, what, nil
	}
	b, err := p.baseline(target, old, exists)
	if err != nil {
		return "", "", err
	}
	b.Wrote = sum(text)
	made, err := p.makeDirs()
	b.Dirs = append(b.Dirs, made...)
	if err == nil {
		err = errors.Join(p.keep(b), p.write(text))
	}
	return change, what, err
}

func (p wiredProject) remove(target wireTarget, old []byte, exists bool) (change, what string, err error) {
	if !exists {
		return "keep", "there is nothing of ours", nil
	}
	text, count, err := target.strip(old)
	if err != nil {
		return "", "", err
	}
	if count == 0 {
		return "keep", "there is nothing of ours", nil
	}
	b := p.kept()
	gone := target.nothing(text) && !b.Existed
	if b.Wrote == sum(old) {
		text, gone = b.Before, !b.Existed
	}
	change, what = "edit", "our part taken out"
	if gone {
		change, what = "remove", "the file was ours"
	}
	switch {
	case p.req.DryRun:
		return change, what, nil
	case gone:
		err = p.root.Remove(p.rel)
		for i := len(b.Dirs) - 1; i >= 0 && err == nil; i-- {
			_ = p.root.Remove(b.Dirs[i]) // one that is not empty stays
		}
	default:
		err = p.write(text)
	}
	if err == nil {
		err = p.forget()
	}
	return change, what, err
}

// A baseline is what a file was before it was wired. With it a removal is exact even where the text alone does not tell, such as a list that was
// empty already. Without it (another machine) strip does the same for all ordinary files.
type baseline struct {
	Path    string   `json:"path"`
	Existed bool     `json:"existed"`
	Before  []byte   `json:"before"`
	Wrote   string   `json:"wrote"` // sha256 of what we wrote
	Dirs    []string `json:"dirs"`  // folders that we made, outermost first
}

// baseline finds it: what is kept where nobody wrote since, else the text without our part.
func (p wiredProject) baseline(target wireTarget, old []byte, exists bool) (baseline, error) {
	b := p.kept()
	if exists && b.Wrote == sum(old) {
		return b, nil
	}
	was := b.Existed // a file that stood there, and has nothing but ours now, is not ours to remove
	b = baseline{Path: filepath.Join(p.req.Project, p.rel), Existed: exists, Before: old, Dirs: b.Dirs}
	if !exists {
		return b, nil
	}
	text, count, err := target.strip(old)
	if err == nil && count > 0 {
		b.Before, b.Existed = text, was || !target.nothing(text)
	}
	return b, err
}

func (p wiredProject) keptAt() string {
	if p.req.Env.RigHome == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(p.req.Project)
	if err != nil {
		real = p.req.Project
	}
	return filepath.Join(p.req.Env.RigHome, "wired", sum([]byte(filepath.Join(real, p.rel)))[:16]+".json")
}

func (p wiredProject) kept() (b baseline) {
	text, err := os.ReadFile(p.keptAt())
	if err != nil || json.Unmarshal(text, &b) != nil {
		return baseline{} // none: the text itself has to tell
	}
	return b
}

func (p wiredProject) keep(b baseline) error {
	at := p.keptAt()
	if at == "" {
		return nil
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.WriteFile(at, text, 0o600)
}

func (p wiredProject) forget() error {
	if err := os.Remove(p.keptAt()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// makeDirs makes the folders above the file and tells which were missing.
func (p wiredProject) makeDirs() (made []string, err error) {
	dir := ""
	for _, part := range strings.Split(path.Dir(p.rel), "/") {
		dir = path.Join(dir, part)
		err := p.root.Mkdir(dir, 0o755)
		if err == nil {
			made = append(made, dir)
		} else if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	return made, nil
}

// write replaces the file whole, its mode kept.
func (p wiredProject) write(text []byte) error {
	mode := fs.FileMode(0o644)
	if fi, err := p.root.Stat(p.rel); err == nil {
		mode = fi.Mode().Perm()
	}
	tmp := path.Join(path.Dir(p.rel), fmt.Sprintf(".%s.%d", path.Base(p.rel), os.Getpid()))
	f, err := p.root.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = p.root.Rename(tmp, p.rel)
	}
	if err != nil {
		_ = p.root.Remove(tmp) // the first error is the one to tell
	}
	return err
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// onPath tells whether "rig" on the user's PATH is our own binary.
func onPath(env Env) bool {
	own, err := filepath.EvalSymlinks(env.Self)
	if err != nil {
		return false
	}
	for _, dir := range filepath.SplitList(env.Get("PATH")) {
		if found, err := filepath.EvalSymlinks(filepath.Join(dir, "rig")); err == nil && filepath.IsAbs(dir) {
			return found == own
		}
	}
	return false
}
