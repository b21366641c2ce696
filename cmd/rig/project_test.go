package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// project lays out a repository for the scripts about tasks: a bare remote in $WORK/remote.git, the user's clone of it in $WORK/project with the files
// that the script has below project/ committed and pushed, and each home/adapters/* executable: `project`.
func project(ts *testscript.TestScript, neg bool, args []string) {
	if _, err := exec.LookPath("git"); err != nil {
		ts.Fatalf("needs git") // scripts ask for it by [exec:git]
	}
	enableAdapters(ts)
	work := ts.Getenv("WORK")
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), ".gitconfig"), []byte("[user]\n\tname = Ann Other\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"), 0o644))
	dir := filepath.Join(work, "project")
	ts.Check(os.MkdirAll(filepath.Join(dir, "tasks"), 0o755))
	for _, line := range []string{
		"init -q --bare " + filepath.Join(work, "remote.git"),
		"-C " + dir + " init -q",
		"-C " + dir + " add -A",
		"-C " + dir + " commit -qm first",
		"-C " + dir + " remote add origin " + filepath.Join(work, "remote.git"),
		"-C " + dir + " push -q -u origin main",
	} {
		ts.Check(ts.Exec("git", strings.Fields(line)...))
	}
}

// refs compares all refs of a repository with what they were: `refs DIR note` notes, `refs DIR` compares.
func refs(ts *testscript.TestScript, neg bool, args []string) {
	file := filepath.Join(ts.Getenv("WORK"), ".refs-"+strings.ReplaceAll(args[0], "/", "-"))
	ts.Check(ts.Exec("git", "-C", ts.MkAbs(args[0]), "for-each-ref"))
	now := ts.ReadFile("stdout")
	if len(args) == 2 {
		ts.Check(os.WriteFile(file, []byte(now), 0o644))
		return
	}
	was, err := os.ReadFile(file)
	ts.Check(err)
	if (string(was) == now) == neg {
		ts.Fatalf("refs were\n%s\nand are\n%s", was, now)
	}
}
