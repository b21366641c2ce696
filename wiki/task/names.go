package task

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// specialNames are names that git reads of its own accord in a working tree, with the short names that Windows makes of them.
func specialNames() map[string]string {
	return map[string]string{".git": "git", ".gitmodules": "gi7eba"}
}

// isSpecial tells whether some file system takes name for one of git's own: in another case, in another normal form, with characters that HFS+ does
// not see, with what Windows drops from a name's end, behind a colon (NTFS streams), or by its short name (git's fsck and path.c know the same).
func isSpecial(name, special string) bool {
	folded := foldName(name)
	if folded == special {
		return true
	}
	short := specialNames()[special]
	base, number, ok := strings.Cut(folded, "~")
	if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
		return false
	}
	// git~1; gitmod~1 to ~4, then a hash: gi7eba~1 (is_ntfs_dot_generic)
	return base == short || special == ".git" && base == "git" || special == ".gitmodules" && base == "gitmod"
}

// foldName is a name as the most forgiving file systems see it.
func foldName(name string) string {
	name = strings.Map(func(r rune) rune {
		if ignoredByHFS(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(name))
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, ". ")
}

// ignoredByHFS are the characters that HFS+ leaves out when it compares names (utf8.c, next_hfs_char).
func ignoredByHFS(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

// badPath is why a path of a tree is not taken: a rule and a clause; "" where it is taken.
func badPath(p string) (rule, reason string) {
	for _, name := range strings.Split(p, "/") {
		switch {
		case name == "" || name == "." || name == "..":
			return "bad-name", "it has an empty or dotted part"
		case strings.ContainsRune(name, '\\'):
			return "bad-name", "it has a backslash, which is a separator on Windows"
		case strings.ContainsFunc(name, unicode.IsControl):
			return "bad-name", "it has control characters"
		case isSpecial(name, ".git"):
			return "hidden-path", "a file system may take it for git's own folder"
		case isSpecial(name, ".gitmodules"):
			return "submodule", "submodules are not taken"
		}
	}
	return "", ""
}

// badLink is why a link of a tree is not taken, "" where it is: it has to stay within the tree, and out of git's own folder. Steps up count only at
// its beginning, where they leave real folders: behind a name, which may be a link as well, they could lead anywhere.
func badLink(at, target string) string {
	if target == "" || path.IsAbs(target) || strings.ContainsAny(target, "\\\x00") || len(target) > 1 && target[1] == ':' {
		return "it leads out of the repository: " + target
	}
	depth, named := strings.Count(at, "/"), false
	for _, part := range strings.Split(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == "..":
			if depth--; depth < 0 || named {
				return "it leads out of the repository: " + target
			}
		case isSpecial(part, ".git"):
			return "it leads into git's own folder: " + target
		default:
			named = true
		}
	}
	return ""
}
