package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A desk is what a user has before an editor starts: a wiki, a HOME with adapters, and rig.
type desk struct {
	dir, wiki, home, rig string
}

// newDesk lays one out.
func newDesk(t *testing.T, rig string) desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := desk{dir: dir, wiki: filepath.Join(dir, "wiki"), home: filepath.Join(dir, "home"), rig: rig}
	copyTree(t, "testdata/wiki", d.wiki)
	copyTree(t, "testdata/adapters", filepath.Join(d.home, ".rig", "adapters"))
	return d
}

// env is the environment of an editor at the desk.
func (d desk) env(more ...string) []string {
	return append(append(os.Environ(),
		"HOME="+d.home, "XDG_CONFIG_HOME="+d.home+"/config", "XDG_DATA_HOME="+d.home+"/data", "XDG_STATE_HOME="+d.home+"/state",
		"XDG_CACHE_HOME="+d.home+"/cache", "RIG_HOME="+d.home+"/.rig", "RIG="+d.rig, "WIKI="+d.wiki), more...)
}

// configure writes the user's own configuration.
func (d desk) configure(t *testing.T, json5 string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.home, ".rig", "config.json5"), []byte(json5), 0o600); err != nil {
		t.Fatal(err)
	}
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

// exists tells whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// version is what an editor says of itself.
func version(t *testing.T, editor string) string {
	t.Helper()
	out, err := exec.Command(editor, "--version").Output()
	if err != nil {
		t.Fatalf("%s --version: %v", editor, err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	t.Log(first)
	return first
}
