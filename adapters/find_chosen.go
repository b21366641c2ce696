package adapters

import (
	"os"
	"path/filepath"
	"strings"
)

// chosenDirs are the folders that the user's own settings name: npm's prefix and the version that is nvm's default.
func (f finder) chosenDirs() []string {
	var dirs []string
	if prefix := f.npmPrefix(); prefix != "" {
		dirs = append(dirs, filepath.Join(prefix, "bin"))
	}
	if f.env.Home == "" && f.env.Get("NVM_DIR") == "" {
		return dirs
	}
	root := f.env.Get("NVM_DIR")
	if !filepath.IsAbs(root) {
		root = filepath.Join(f.env.Home, ".nvm")
	}
	if version := nvmDefault(root); version != "" {
		for _, dir := range f.expand(filepath.Join(root, "versions", "node") + "/*/bin") {
			if name := filepath.Base(filepath.Dir(dir)); name == version || strings.HasPrefix(name, version+".") {
				return append(dirs, dir) // the highest that it may stand for
			}
		}
	}
	return dirs
}

// npmPrefix is the prefix of ~/.npmrc, or of the variable that stands over it.
func (f finder) npmPrefix() string {
	prefix := f.env.Get("NPM_CONFIG_PREFIX")
	if f.env.Home != "" && prefix == "" {
		text, err := os.ReadFile(filepath.Join(f.env.Home, ".npmrc"))
		if err != nil {
			return "" // the user has none
		}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, "=")
			if strings.TrimSpace(name) == "prefix" {
				prefix = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	if rest, ok := strings.CutPrefix(prefix, "~/"); ok {
		prefix = filepath.Join(f.env.Home, rest)
	}
	prefix = strings.ReplaceAll(prefix, "${HOME}", f.env.Home)
	if !filepath.IsAbs(prefix) || strings.Contains(prefix, "*") {
		return ""
	}
	return prefix
}

// nvmDefault follows nvm's default alias to the beginning of a version ("v22", "v22.3.0"); "" where there is none that names one.
func nvmDefault(root string) string {
	name := "default"
	for range 5 { // an alias may name another
		text, err := os.ReadFile(filepath.Join(root, "alias", filepath.FromSlash(name)))
		if err != nil {
			break // no alias: it is a version
		}
		name, _, _ = strings.Cut(strings.TrimSpace(string(text)), "\n")
		if name = strings.TrimSpace(name); name == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
			return ""
		}
	}
	name = strings.TrimPrefix(name, "v")
	if name == "" || name[0] < '0' || name[0] > '9' {
		return ""
	}
	return "v" + name
}
