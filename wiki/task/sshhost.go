package task

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// sshHost is the real name of a host that a remote's address has: `Host work` of the user's ssh configuration may stand for `HostName github.com`. The
// configuration is read as data (ssh_config(5)): `ssh -G` would run its `Match exec`. Of Match blocks only `all`, `host` and `originalhost` count.
func sshHost(home, name string) string {
	if home == "" {
		return name
	}
	c := sshConfig{home: home, name: name, active: true}
	c.read(filepath.Join(home, ".ssh", "config"), maxSSHDepth)
	if c.found == "" {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(c.found, "%h", name), "%%", "%")
}

// Bounds of an ssh configuration: includes within includes, bytes of one file, files in all.
const (
	maxSSHDepth = 8
	maxSSHFile  = 1 << 20
	maxSSHFiles = 200
)

// sshConfig looks for one host's HostName.
type sshConfig struct {
	home, name string
	active     bool   // what is read now counts for the host
	found      string // the first HostName that does
	files      int
}

func (c *sshConfig) read(file string, depth int) {
	if c.files++; depth == 0 || c.files > maxSSHFiles {
		return
	}
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxSSHFile {
		return // ssh goes without it as well, or says so when it is used
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	for line := range bytes.Lines(text) {
		words := sshWords(string(line))
		if len(words) < 2 {
			continue
		}
		switch strings.ToLower(words[0]) {
		case "host":
			c.active = sshMatches(words[1:], c.name)
		case "match":
			c.active = c.match(words[1:])
		case "hostname":
			if c.active && c.found == "" {
				c.found = words[1]
			}
		case "include":
			if c.active {
				c.include(words[1:], depth)
			}
		}
	}
}

// include reads further files, each of which begins where this one is: in a block that counts.
func (c *sshConfig) include(patterns []string, depth int) {
	for _, p := range patterns {
		if rest, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(c.home, rest)
		} else if !filepath.IsAbs(p) {
			p = filepath.Join(c.home, ".ssh", p)
		}
		files, err := filepath.Glob(p)
		if err != nil {
			continue // a bad pattern matches nothing
		}
		for _, f := range files {
			c.active = true
			c.read(f, depth-1)
		}
	}
	c.active = true
}

// match judges the criteria of a Match block.
func (c *sshConfig) match(criteria []string) bool {
	for len(criteria) > 0 {
		switch word := strings.ToLower(criteria[0]); {
		case word == "all":
			criteria = criteria[1:]
		case (word == "host" || word == "originalhost") && len(criteria) > 1:
			name := c.name
			if word == "host" && c.found != "" {
				name = c.found
			}
			if !sshMatches(strings.Split(criteria[1], ","), name) {
				return false
			}
			criteria = criteria[2:]
		default: // exec, user, canonical and the like are not asked
			return false
		}
	}
	return true
}

// sshMatches tells whether a list of patterns, "!" before those that exclude, has the name.
func sshMatches(patterns []string, name string) bool {
	yes := false
	for _, p := range patterns {
		p, not := strings.CutPrefix(p, "!")
		if !sshGlob(strings.ToLower(p), strings.ToLower(name)) {
			continue
		}
		if not {
			return false
		}
		yes = true
	}
	return yes
}

// sshGlob knows "*" and "?" alone.
func sshGlob(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if len(head) > len(name) {
		return false
	}
	for i := range len(head) {
		if head[i] != '?' && head[i] != name[i] {
			return false
		}
	}
	name = name[len(head):]
	if !star {
		return name == ""
	}
	rest = strings.TrimLeft(rest, "*")
	if rest == "" {
		return true
	}
	for i := range len(name) {
		if sshGlob(rest, name[i:]) {
			return true
		}
	}
	return false
}

// sshWords splits a line: white space or one "=" after the keyword, words in double quotes, "#" begins a comment.
func sshWords(line string) []string {
	line = strings.TrimSpace(line)
	if i := strings.IndexAny(line, " \t="); i > 0 {
		rest := strings.TrimLeft(line[i:], " \t")
		line = line[:i] + " " + strings.TrimPrefix(rest, "=")
	}
	var words []string
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimLeft(line, " \t") {
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			word, rest, _ := strings.Cut(line[1:], "\"")
			words, line = append(words, word), rest
			continue
		}
		if end < 0 {
			return append(words, line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
	return words
}
