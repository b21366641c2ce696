package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Tool is an executable under a name of its own on the program's PATH. The same executable may serve several: it tells them apart by argv[0].
type Tool struct {
	Name string // a file name: "git"
	Exec string // absolute path of the executable
	// Over are absolute paths of the host at which the tool stands in for what is there, so that a program that does not ask PATH gets it too.
	// A path that is not shown is skipped. A copy can put nothing over a path, and says so in Confinement.Missing.
	Over []string
}

// realDir is the folder among the tools in which the first of Tool.Over is found as it was, under the tool's name.
const realDir = ".real"

// checkTools refuses tools that no layer can show.
func (s Spec) checkTools() error {
	for i, t := range s.Tools {
		switch {
		case t.Name == "" || t.Name != filepath.Base(t.Name) || strings.HasPrefix(t.Name, "."):
			return fmt.Errorf("tool: %q is not a file name", t.Name)
		case slices.ContainsFunc(s.Tools[:i], func(o Tool) bool { return o.Name == t.Name }):
			return fmt.Errorf("tool: two are called %q", t.Name)
		}
		for _, p := range append([]string{t.Exec}, t.Over...) {
			if !filepath.IsAbs(p) {
				return fmt.Errorf("tool %s: %q is not an absolute path", t.Name, p)
			}
		}
	}
	return nil
}

// linkTools makes the folder of tools that a copy's program gets: links, since nothing can be mounted there.
func linkTools(dir string, tools []Tool) error {
	if err := os.MkdirAll(filepath.Join(dir, realDir), 0o700); err != nil {
		return err
	}
	for _, t := range tools {
		if err := linkTool(t.Exec, filepath.Join(dir, t.Name)); err != nil {
			return err
		}
		if len(t.Over) == 0 {
			continue
		}
		if err := os.Symlink(t.Over[0], filepath.Join(dir, realDir, t.Name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// shellStarts are the files of HOME that a login shell reads after the system's own, which set PATH anew (/etc/profile, /etc/zprofile): bash, sh and zsh
// put the tools first again. Agents that start each command as `bash -lc` (codex 0.171.0) would find the host's programs else.
func shellStarts(tools string) map[string]string {
	line := "PATH='" + strings.ReplaceAll(tools, "'", `'\''`) + "'\"${PATH:+:$PATH}\"\nexport PATH\n"
	return map[string]string{".profile": line, ".bash_profile": line, ".zprofile": line}
}

// linkTool links an executable; Windows, where links need a right that few users have, gets a hard link or a copy.
func linkTool(exec, at string) error {
	if runtime.GOOS != "windows" {
		return os.Symlink(exec, at)
	}
	at += filepath.Ext(exec)
	if err := os.Link(exec, at); err == nil {
		return nil
	}
	text, err := os.ReadFile(exec)
	if err != nil {
		return err
	}
	return os.WriteFile(at, text, 0o700)
}

// toolExecs are the executables behind the tools.
func toolExecs(tools []Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Exec)
	}
	return out
}

// toolsMissing says what a copy cannot do for its tools.
func toolsMissing(tools []Tool) []string {
	var out []string
	for _, t := range tools {
		if len(t.Over) > 0 {
			out = append(out, fmt.Sprintf("%s is ours on PATH only (%s is reachable by its path)", t.Name, strings.Join(t.Over, ", ")))
		}
	}
	return out
}
