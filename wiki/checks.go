package wiki

import (
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/rigwiki/rig/adapters"
)

// checkFiles are where a project says which commands are its checks, relative to its folder; the first that is there counts whole.
func checkFiles() []string { return []string{"local/checks", "checks"} }

// maxCheckFile bounds a `checks` file, in bytes.
const maxCheckFile = 64 << 10

// ChecksIn reads the `checks` file of a project's folder: nothing where there is none. A program of that name is none. What of it cannot be read is told as
// clauses. It says what events are called, and lets nothing run.
func ChecksIn(dir string) (checks []adapters.Check, bad []string) {
	for _, rel := range checkFiles() {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		fi, err := os.Stat(path)
		if err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm()&0o111 != 0 {
			continue
		}
		if fi.Size() > maxCheckFile {
			return nil, []string{rel + " is too long"}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, []string{err.Error()}
		}
		if !utf8.Valid(text) {
			return nil, []string{rel + " is no text"}
		}
		checks, bad = adapters.ReadChecks(text)
		for i, b := range bad {
			bad[i] = rel + ": " + b
		}
		return checks, bad
	}
	return nil, nil
}
