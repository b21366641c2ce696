package wiki

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed templates
var templates embed.FS

// InitOptions says how a wiki is laid out.
type InitOptions struct {
	Name string // "": the folder's name
}

// Init lays out a flat wiki in dir, which is made where it is missing, and returns it with the rel paths of what it made (folders end in a slash).
// It overwrites nothing: what is there stays, a second call makes nothing. A wiki of another layout in dir only gets its .rig/config.yml.
// A folder inside another wiki, and one that is or holds the home folder, is refused.
func Init(dir string, o InitOptions) (*Wiki, []string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("lay out %s: %w", dir, err)
	}
	if holdsHome(resolve(abs)) {
		return nil, nil, fmt.Errorf("lay out %s: it holds the home folder, and everything in it would be shown to agents", dir)
	}
	if err := notWithin(abs); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, nil, fmt.Errorf("lay out %s: %w", dir, err)
	}
	w := &Wiki{Root: abs, Real: resolve(abs)}
	w.setLayout()
	if o.Name == "" {
		o.Name = defaultName(w.Real)
	}
	l := &layer{root: w.Real}
	if w.Layout == Flat {
		l.folders(append([]string{"raw"}, pageFolders()...)...)
		for _, name := range append(sharedPages(), "purpose.md", "schema.md") {
			l.template(name, name, "")
		}
	}
	l.folders(".rig")
	l.template(".rig/config.yml", "config.yml", o.Name)
	if l.err != nil {
		return nil, l.made, fmt.Errorf("lay out %s: %w", dir, l.err)
	}
	w, err = wikiAt(abs)
	return w, l.made, err
}

// notWithin refuses a folder in a wiki's own pages or sources. A wiki's broken configuration further up is not our concern.
func notWithin(abs string) error {
	w, err := Find(filepath.Dir(abs))
	if err != nil {
		return nil
	}
	if rel, ok := w.Rel(abs); ok && rel != "" {
		return fmt.Errorf("%s is %s of the wiki in %s; a wiki in a wiki would be edited by both", abs, rel, w.Root)
	}
	return nil
}

// layer makes folders and files that are not there yet. The first error stops it.
type layer struct {
	root string
	made []string
	err  error
}

func (l *layer) folders(names ...string) {
	for _, name := range names {
		if l.err != nil {
			return
		}
		switch err := os.Mkdir(filepath.Join(l.root, name), 0o755); {
		case err == nil:
			l.made = append(l.made, name+"/")
		case !isDir(l.root, name):
			l.err = err
		}
	}
}

// template writes one file where nothing of its name is, not even a link that leads nowhere.
func (l *layer) template(rel, name, wikiName string) {
	if l.err != nil {
		return
	}
	text, err := templates.ReadFile("templates/" + name)
	if err != nil {
		l.err = err
		return
	}
	text = []byte(strings.Replace(string(text), "{{name}}", yamlText(wikiName), 1))
	f, err := os.OpenFile(filepath.Join(l.root, filepath.FromSlash(rel)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if l.err = err; err == nil {
		l.made = append(l.made, rel)
	}
}

// yamlText is a name as YAML reads it back: bare where it is a plain word, else double-quoted.
func yamlText(s string) string {
	if isAgentName(s) && strings.ContainsAny(s[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && !isYAMLWord(s) {
		return s
	}
	return strconv.Quote(s)
}

func isYAMLWord(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return true
	}
	return false
}
