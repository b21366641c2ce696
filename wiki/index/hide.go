package index

import (
	"bytes"
	"errors"
	"path"
	"regexp"
	"strings"
	"sync"
)

var errNotRegular = errors.New("not a regular file")

// class says what an entry of the wiki is.
type class uint8

const (
	pageClass     class = iota + 1 // a .md file that is read
	fileClass                      // another file: links may name it
	conflictClass                  // a copy that a sync tool left beside its page: no page
)

// hidden tells names that are never part of a wiki: dot files and folders, and the folders of tools (case o-fs-02).
func hidden(name string) bool {
	return name[0] == '.' || name == "node_modules" || name == "__pycache__"
}

// isPage tells a page by its name.
func isPage(name string) bool {
	return len(name) > 3 && strings.EqualFold(name[len(name)-3:], ".md")
}

// stem is the last part of a path without .md.
func stem(rel string) string {
	name := path.Base(rel)
	if isPage(name) {
		return name[:len(name)-3]
	}
	return name
}

// conflictName matches the copies of Syncthing, Dropbox, Nextcloud and iCloud; the first group that holds text is the page's stem.
var conflictName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(.+)\.sync-conflict-\d{8}-\d{6}(?:-\w+)?|(.+?) \((?:[^)]*\b)?conflicted copy\b[^)]*\)|(.+) (\d+))\.md$`)
})

// conflictOf tells the name of the page that name may be a conflict copy of; sure is false where their texts have to be compared ("tea 2.md").
func conflictOf(name string) (page string, sure bool) {
	if !isPage(name) || !numbered(name[:len(name)-3]) && !strings.Contains(strings.ToLower(name), "conflict") { // nearly all
		return "", false
	}
	m := conflictName().FindStringSubmatch(name)
	switch {
	case m == nil:
		return "", false
	case m[3] != "":
		return m[3] + ".md", false
	}
	return m[1] + m[2] + ".md", true
}

// numbered tells a name that ends in a blank and a number.
func numbered(name string) bool {
	bare := strings.TrimRight(name, "0123456789")
	return len(bare) < len(name) && strings.HasSuffix(bare, " ")
}

// alike tells whether two texts share at least half of their lines that are not blank.
func alike(a, b []byte) bool {
	lines := map[string]int{}
	total := 0
	for line := range bytes.Lines(a) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines[string(line)]++
			total++
		}
	}
	common, other := 0, 0
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			other++
			if lines[string(line)] > 0 {
				lines[string(line)]--
				common++
			}
		}
	}
	return 2*common >= max(total, other)
}
