package adapters

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A finder looks for programs as the user's shell would, and then where package managers put them: editors that were started from a
// desktop icon have PATH=/usr/bin:/bin (case o-ag-15).
type finder struct {
	env  Env
	goos string
	list func(dir string) []string // names of the runnable entries of a folder; for Windows, where a name has many endings and cases
}

func newFinder(env Env) finder { return finder{env: env, goos: runtime.GOOS, list: listRunnable} }

// program finds name; a configured command wins: an absolute path (or one below ~) as it is, a bare name in place of name.
func (f finder) program(name string) (string, error) {
	if c := f.env.Config[name].Command; c != "" {
		if rest, ok := strings.CutPrefix(c, "~/"); ok {
			c = filepath.Join(f.env.Home, rest)
		}
		if filepath.IsAbs(c) {
			if !runnable(c) {
				return "", fmt.Errorf("the configured command %s is not an executable file", c)
			}
			return c, nil
		}
		name = c
	}
	return f.find(name)
}

// Program finds a program that is no agent, on PATH and where package managers put them, with what has to be visible for it to run: its interpreter, the
// folder of its package.
func Program(env Env, name string) (path string, runtime []string, err error) {
	if path, err = newFinder(env).find(name); err != nil {
		return "", nil, err
	}
	runtime, err = runtimeOf(env, path)
	return path, runtime, err
}

func (f finder) find(name string) (string, error) {
	if f.goos == "windows" {
		return f.findWindows(name)
	}
	for _, dir := range f.dirs() {
		if path := filepath.Join(dir, name); runnable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH nor where npm, pnpm, nvm, fnm, volta, asdf, mise, nodenv, bun, nix or homebrew put programs", name)
}

// findWindows prefers a real executable anywhere to npm's .cmd shim; the shim without extension (a shell script) and .ps1 cannot be
// started (case o-ag-16).
func (f finder) findWindows(name string) (string, error) {
	exts := strings.Split(strings.ToLower(cmp.Or(f.env.Get("PATHEXT"), ".COM;.EXE;.BAT;.CMD")), ";")
	odd := ""
	for _, ext := range []string{".exe", ".com", ".cmd", ".bat"} {
		for _, dir := range f.dirs() {
			for _, have := range f.list(dir) {
				low := strings.ToLower(have)
				switch {
				case low == name+ext && slices.Contains(exts, ext):
					return dir + `\` + have, nil
				case low == name+".ps1":
					odd = dir + `\` + have
				}
			}
		}
	}
	if odd != "" {
		return "", fmt.Errorf("%s: only %s was found, which cannot be started directly", name, odd)
	}
	return "", fmt.Errorf("%s is not on PATH", name)
}

// usualDirs are looked at after PATH, in this order; a "*" stands for a version, the highest first.
func usualDirs() []string {
	return []string{
		"~/.local/bin", "~/.claude/local", "~/.opencode/bin", "~/.npm-global/bin", "~/.npm/bin", "$VOLTA_HOME/bin", "~/.volta/bin", "$BUN_INSTALL/bin", "~/.bun/bin", "~/.yarn/bin",
		"$PNPM_HOME", "$PNPM_HOME/bin", "~/.local/share/pnpm", "~/.local/share/pnpm/bin", "~/Library/pnpm", "~/Library/pnpm/bin",
		"$NVM_DIR/versions/node/*/bin", "~/.nvm/versions/node/*/bin",
		"$FNM_DIR/node-versions/*/installation/bin", "$XDG_DATA_HOME/fnm/node-versions/*/installation/bin", "~/.local/share/fnm/node-versions/*/installation/bin", "~/Library/Application Support/fnm/node-versions/*/installation/bin", "~/.fnm/node-versions/*/installation/bin",
		"$ASDF_DATA_DIR/shims", "~/.asdf/shims", "~/.asdf/bin", "$MISE_DATA_DIR/shims", "~/.local/share/mise/shims", "$NODENV_ROOT/shims", "$NODENV_ROOT/bin", "~/.nodenv/shims", "~/.nodenv/bin", "$N_PREFIX/bin", "~/n/bin",
		"~/.nix-profile/bin", "~/.local/state/nix/profile/bin", "/run/current-system/sw/bin", "/nix/var/nix/profiles/default/bin",
		"/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin", "/usr/bin", "/bin",
	}
}

func (f finder) dirs() []string {
	sep := string(filepath.ListSeparator)
	if f.goos == "windows" {
		sep = ";"
	}
	var dirs []string
	add := func(d string) {
		if d != "" && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, d := range strings.Split(f.env.Get("PATH"), sep) {
		if f.goos == "windows" || filepath.IsAbs(d) { // a relative entry of PATH would run what lies in the wiki
			add(d)
		}
	}
	if f.goos == "windows" {
		return dirs
	}
	for _, d := range append(f.chosenDirs(), usualDirs()...) {
		for _, e := range f.expand(d) {
			add(e)
		}
	}
	return dirs
}

func (f finder) expand(pattern string) []string {
	if rest, ok := strings.CutPrefix(pattern, "$"); ok {
		name, below, _ := strings.Cut(rest, "/")
		if !filepath.IsAbs(f.env.Get(name)) {
			return nil
		}
		pattern = filepath.Join(f.env.Get(name), below)
	}
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		if f.env.Home == "" {
			return nil
		}
		pattern = filepath.Join(f.env.Home, rest)
	}
	before, after, versioned := strings.Cut(pattern, "*")
	if !versioned {
		return []string{pattern}
	}
	entries, err := os.ReadDir(before)
	if err != nil {
		return nil // not installed: nothing to look at
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.SortFunc(names, func(a, b string) int { return compareVersions(b, a) })
	for i, n := range names {
		names[i] = before + n + after
	}
	return names
}

// compareVersions orders "v9.11.2" before "v18.20.4": by number, not by letter.
func compareVersions(a, b string) int {
	as, bs := strings.Split(strings.TrimPrefix(a, "v"), "."), strings.Split(strings.TrimPrefix(b, "v"), ".")
	for i := range max(len(as), len(bs)) {
		x, y := versionPart(as, i), versionPart(bs, i)
		if x != y {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(a, b)
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := parts[i]
	if cut := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); cut >= 0 {
		digits = digits[:cut]
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1 // "system", "alpha": below every number
	}
	return n
}

func listRunnable(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // PATH names folders that are not there
	}
	var names []string
	for _, e := range entries {
		if runnable(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

func runnable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && (fi.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}
