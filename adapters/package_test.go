package adapters

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPackageVersion: a package tells the version of the program that it installs, and of no other.
func TestPackageVersion(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("node_modules/x/package.json", `{"version":"1.2.3","bin":{"x":"./bin/x.js"}}`)
	write("node_modules/x/bin/x.js", "")
	write("node_modules/x/bin/y.js", "")
	write("package.json", `{"version":"9.9.9","bin":"x"}`)
	write("bin/x", "")
	if err := os.Symlink("../node_modules/x/bin/x.js", filepath.Join(dir, "bin", "link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for path, want := range map[string]string{"node_modules/x/bin/x.js": "1.2.3", "bin/link": "1.2.3", "node_modules/x/bin/y.js": "", "bin/x": "", "bin/none": ""} {
		if got := packageVersion(filepath.Join(dir, path), "x"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
