package e2e

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestNvim plays each scenario of nvim/ in each Neovim that RIG_NVIM names. After each the wiki is as it was.
func TestNvim(t *testing.T) {
	editors := needed(t, "nvim", "RIG_NVIM")
	rig := build(t)
	for _, nvim := range filepath.SplitList(editors) {
		for _, scenario := range []string{"smoke", "decide", "typing"} {
			t.Run(filepath.Base(filepath.Dir(nvim))+"/"+scenario, func(t *testing.T) { play(t, nvim, rig, scenario) })
		}
	}
}

func play(t *testing.T, nvim, rig, scenario string) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wiki, home := filepath.Join(dir, "wiki"), filepath.Join(dir, "home")
	copyTree(t, "testdata/wiki", wiki)
	copyTree(t, "testdata/adapters", filepath.Join(home, ".rig", "adapters"))

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a hang guard: it takes seconds
	defer cancel()
	cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-l", "nvim/"+scenario+".lua")
	cmd.Env = append(os.Environ(),
		"HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_DATA_HOME="+home+"/data", "XDG_STATE_HOME="+home+"/state",
		"XDG_CACHE_HOME="+home+"/cache", "RIG_HOME="+home+"/.rig", "NVIM_LOG_FILE="+home+"/nvim.log",
		"RIG="+rig, "WIKI="+wiki, "WANT="+filepath.Join(here, "testdata/want"), "PLUGIN="+filepath.Join(here, "../nvim"))
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(home, "state/nvim/lsp.log")) // absent where nothing went wrong in the client
		t.Fatalf("nvim: %v\n%s", err, log)
	}
	sameTree(t, "testdata/wiki", wiki)
}

// needed returns the value of variable. Without one the test is skipped, or fails where RIG_REQUIRE contains name.
func needed(t *testing.T, name, variable string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" && required(name) {
		t.Fatalf("RIG_REQUIRE wants %s, but %s is not set", name, variable)
	}
	if value == "" {
		t.Skipf("%s is not set: no %s to drive", variable, name)
	}
	return value
}

// required tells whether RIG_REQUIRE names a thing whose absence is a failure.
func required(name string) bool {
	return slices.Contains(strings.Split(os.Getenv("RIG_REQUIRE"), ","), name)
}

// build compiles rig as it is shipped and returns its path.
func build(t *testing.T) string {
	t.Helper()
	rig := filepath.Join(t.TempDir(), "rig")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", rig, "../../cmd/rig")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build rig: %v\n%s", err, out)
	}
	return rig
}

// copyTree copies a folder with the modes of its files.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// sameTree fails where got differs from want in a path or a byte. rig's own folder in a wiki is left out.
func sameTree(t *testing.T, want, got string) {
	t.Helper()
	before, after := files(t, want), files(t, got)
	for path, text := range before {
		if now, ok := after[path]; !ok || !bytes.Equal(now, text) {
			t.Errorf("%s: after the undo %q, at first %q", path, now, text)
		}
	}
	for path := range after {
		if _, ok := before[path]; !ok {
			t.Errorf("%s: left behind by the undo", path)
		}
	}
}

func files(t *testing.T, root string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == ".rig" {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		found[path], err = os.ReadFile(filepath.Join(root, path))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
