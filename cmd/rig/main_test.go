package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rigwiki/rig/sandbox"
)

// TestMain lets the test binary be rig itself, for the scripts, an agent's tool, and a sandbox's helper.
func TestMain(m *testing.M) {
	if sandbox.Main() {
		return
	}
	if _, ok := tools()[filepath.Base(os.Args[0])]; ok { // as an agent calls it; no script finds it on PATH, where it would be the user's own
		os.Exit(mainExit())
	}
	testscript.Main(m, map[string]func(){"rig": func() { os.Exit(mainExit()) }})
}

// TestScript runs the scenarios of testdata/script: each is a story that a user could tell, one for each outcome of a run.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("RIG_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("HOME", filepath.Join(e.WorkDir, "user"))
			e.Setenv("WIKI", filepath.Join(e.WorkDir, "garden"))
			repo, err := os.Getwd()
			if err != nil {
				return err
			}
			e.Setenv("REPO", repo)
			e.Setenv("MARK", strconv.Itoa(os.Getpid())) // tells this test's processes from those of another that runs beside it
			return os.MkdirAll(filepath.Join(e.WorkDir, "user"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"garden":  garden,
			"await":   await,
			"gone":    gone,
			"exit":    exitCode,
			"same":    same,
			"capture": capture,
			"web":     web,
			"project": project,
			"refs":    refs,
		},
	})
}

// garden lays out the scripts' wiki in $WIKI and makes each home/adapters/* executable: `garden`.
func garden(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.CopyFS(ts.Getenv("WIKI"), os.DirFS(filepath.Join(ts.Getenv("REPO"), "testdata", "garden"))))
	enableAdapters(ts)
}

// enableAdapters makes each home/adapters/* a directory adapter.
func enableAdapters(ts *testscript.TestScript) {
	dirs, err := filepath.Glob(filepath.Join(ts.Getenv("RIG_HOME"), "adapters", "*"))
	ts.Check(err)
	for _, d := range dirs {
		wire, err := os.ReadFile(filepath.Join(d, "wire.sh"))
		if err != nil { // most scripts have no use for one
			wire = []byte("#!/bin/sh\nexit 0\n")
		}
		ts.Check(os.WriteFile(filepath.Join(d, "wire"), wire, 0o755))
		ts.Check(os.Chmod(filepath.Join(d, "run"), 0o755))
	}
}

// web serves a folder on loopback and names the server in $WEB: `web dir`.
func web(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: web dir")
	}
	s := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(s.Close)
	ts.Setenv("WEB", s.URL)
}

// await waits until a file that matches the glob holds the text: `await glob text`.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await glob text")
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		files, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, f := range files {
			if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), args[1]) {
				return
			}
		}
	}
	ts.Fatalf("%s never held %q", args[0], args[1])
}

// gone waits until no process has this command line: `gone command`. What a killed program started ends after it, not with it.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: gone command")
	}
	if _, err := exec.LookPath("pgrep"); err != nil {
		return // nobody can tell
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		err := exec.Command("pgrep", "-fx", regexp.QuoteMeta(args[0])).Run()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 1 {
			return
		}
		ts.Check(err)
	}
	ts.Fatalf("%q runs on", args[0])
}

// exitCode runs rig and demands its exit code: `exit 41 rig wiki …`.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exit code command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s (%v), want %s", got, err, args[0])
	}
}

// same compares the wiki with a fresh one: `same` or `! same`.
func same(ts *testscript.TestScript, neg bool, args []string) {
	want := tree(ts, filepath.Join(ts.Getenv("REPO"), "testdata", "garden"))
	got := tree(ts, ts.Getenv("WIKI"))
	diff := ""
	for p, text := range want {
		if got[p] != text {
			diff = p
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			diff = p
		}
	}
	if (diff == "") == neg {
		ts.Fatalf("the wiki differs in %q", diff)
	}
}

func tree(ts *testscript.TestScript, dir string) map[string]string {
	m := map[string]string{}
	ts.Check(filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		m[rel] = string(text)
		return err
	}))
	return m
}

// capture takes the first match of a regular expression's group in the last stdout into a variable: `capture RUN '"run":"([^"]+)"'`.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture VAR regexp")
	}
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("stdout does not match %s", args[1])
	}
	ts.Setenv(args[0], m[1])
}
