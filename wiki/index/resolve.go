package index

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// How tells in which way a link finds its page.
type How int

// The ways, best first. A link that is found in another way than Exact works, and has a better spelling (case o-wk-14).
const (
	Exact     How = iota // spelled as on disk, up to Unicode normal form and a missing .md
	Folded               // upper and lower case differ
	Alias                // a page's alias
	NearMiss             // blanks, dashes and underscores differ
	Elsewhere            // the folder is wrong, but only one page has the name
)

// Match is a page or file that a link may mean.
type Match struct {
	Path string
	How  How
}

// Resolve gives the pages (or files) that a target may mean in the page from, best first: those of the best way to find it, more than one
// where a bare name is ambiguous. It is empty for a broken link. The target is without heading and alias, and not percent-encoded.
func (x *Index) Resolve(from, target string) []string {
	matches := x.ResolveLink(from, Link{Target: target, Kind: Wiki})
	out := make([]string, len(matches))
	for i, m := range matches {
		out[i] = m.Path
	}
	return out
}

// ResolveLink is Resolve by the rules of the link's kind. A wikilink's path begins at the wiki's root, a markdown link's at its page's folder;
// each is tried the other way as well. An external link gives nothing.
func (x *Index) ResolveLink(from string, l Link) []Match {
	if l.External() {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.resolve(from, l)
}

// resolve tries a target as written, then percent-decoded, once: wikilinks are not encoded, but some are written so (Obsidian reads none of them).
func (x *Index) resolve(from string, l Link) []Match {
	found := x.asWritten(from, l)
	if len(found) > 0 || l.Kind == Markdown || strings.IndexByte(l.Target, '%') < 0 {
		return found
	}
	decoded := l
	if decoded.Target = unpercent(l.Target); decoded.Target == l.Target || decoded.Target == "" {
		return nil
	}
	found = x.asWritten(from, decoded)
	for i := range found {
		found[i].How = max(found[i].How, NearMiss)
	}
	return found
}

func (x *Index) asWritten(from string, l Link) []Match {
	if l.Target == "" {
		return []Match{{from, Exact}}
	}
	t := newTarget(from, l)
	if len(t.paths) == 0 || strings.Contains(l.Target, "://") { // an address in a wikilink's brackets
		return nil
	}
	for _, way := range []func(*target) []Match{x.byPath, x.byName, x.byAlias, x.byLoose, x.byOther} {
		if found := way(t); len(found) > 0 {
			return found
		}
	}
	return nil
}

// target is a link's target taken apart.
type target struct {
	from, dir string
	paths     []string // that it names from the root and from the page's folder, in order, clean
	tail      string   // as written, clean, without "./" and "/": what a path must end with
	bare      bool     // a name without folder
	anchored  bool     // begins with "/", "./" or "../": not found by name
	wiki      bool
	file      bool // has an attachment's ending: .md is not appended
}

func newTarget(from string, l Link) *target {
	raw := norm.NFC.String(strings.ReplaceAll(l.Target, "\\", "/"))
	dir, _ := splitPath(from)
	t := &target{from: from, dir: dir, wiki: l.Kind != Markdown}
	root, rooted := strings.CutPrefix(raw, "/")
	relative := strings.HasPrefix(raw, "./") || strings.HasPrefix(raw, "../") || raw == ".."
	t.anchored = rooted || relative
	t.bare = !strings.Contains(raw, "/")
	fromRoot, okRoot := cleanPath(root)
	fromPage, okPage := cleanPath(join(dir, raw))
	add := func(p string, ok bool) {
		if ok && !slices.Contains(t.paths, p) {
			t.paths = append(t.paths, p)
		}
	}
	switch {
	case rooted:
		add(fromRoot, okRoot)
	case relative:
		add(fromPage, okPage)
	case t.wiki:
		add(fromRoot, okRoot)
		add(fromPage, okPage)
	default:
		add(fromPage, okPage)
		add(fromRoot, okRoot)
	}
	if len(t.paths) > 0 {
		t.tail = t.paths[0]
		if !t.anchored {
			t.tail = fromRoot
		}
	}
	t.file = attachmentEnding(raw)
	return t
}

// cleanPath takes "." and ".." away by the rules of paths; false for one that leaves the wiki.
func cleanPath(p string) (string, bool) {
	p = path.Clean(p)
	return p, p != "." && p != ".." && !strings.HasPrefix(p, "../") && p[0] != '/'
}

// attachmentEnding tells the endings of files that Obsidian and wikis keep beside pages.
func attachmentEnding(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".avif", ".pdf", ".mp3", ".wav", ".m4a", ".ogg", ".flac", ".3gp",
		".mp4", ".webm", ".ogv", ".mov", ".mkv", ".canvas", ".base", ".excalidraw", ".csv", ".json", ".txt", ".html", ".zip", ".docx", ".xlsx", ".pptx":
		return true
	}
	return false
}

// byPath finds the full path, from the root or from the page's folder. A bare wikilink is found by name instead, where its folder counts.
func (x *Index) byPath(t *target) []Match {
	if t.bare && t.wiki && !t.anchored {
		return nil
	}
	for _, p := range t.paths {
		if m, ok := x.atPath(p, t.file); ok {
			return []Match{m}
		}
	}
	return nil
}

// atPath finds what a path names: with .md appended, else as it is; the spelling that is exact wins.
func (x *Index) atPath(p string, file bool) (Match, bool) {
	for _, name := range spellings(p, file) {
		best, found := Match{How: Elsewhere}, false
		x.find(keyHash(pathKey, Fold(name)), func(r ref) {
			how := Folded
			if r.class() == conflictClass {
				return
			}
			got := r.path()
			if norm.NFC.String(got) == name {
				how = Exact
			}
			if m := (Match{got, how}); !found || m.How < best.How || m.How == best.How && got < best.Path {
				best, found = m, true
			}
		})
		if found {
			return best, true
		}
	}
	return Match{}, false
}

func spellings(p string, file bool) []string {
	switch {
	case isPage(p):
		return []string{p}
	case file: // "drawing.excalidraw.md" is linked as a drawing
		return []string{p, p + ".md"}
	}
	return []string{p + ".md", p}
}

// byName finds pages and files by the last part of the target; what stands before it has to be the end of their folder.
func (x *Index) byName(t *target) []Match {
	if t.anchored {
		return nil
	}
	return x.named(t, nameKey, Fold(stem(t.tail)), func(p string) (How, bool) {
		got := norm.NFC.String(p)
		for _, name := range spellings(t.tail, t.file) {
			switch {
			case got == name || strings.HasSuffix(got, "/"+name):
				return Exact, true
			case foldedSuffix(Fold(got), Fold(name)):
				return Folded, true
			}
		}
		return 0, false
	})
}

func foldedSuffix(p, tail string) bool { return p == tail || strings.HasSuffix(p, "/"+tail) }

// named collects what a key finds and judge accepts, in the order of preference.
func (x *Index) named(t *target, kind byte, key string, judge func(p string) (How, bool)) []Match {
	var found []Match
	x.find(keyHash(kind, key), func(r ref) {
		p := r.path()
		if how, ok := judge(p); ok && r.class() != conflictClass {
			found = append(found, Match{p, how})
		}
	})
	if len(found) > 1 {
		x.prefer(t, found)
	}
	return found
}

// prefer sorts: the exact spelling, the page's own folder, folders that do not give way, pages before files, the shallowest, the alphabet
// (case o-wk-04).
func (x *Index) prefer(t *target, found []Match) {
	rank := func(m Match) []int {
		dir, name := splitPath(m.Path)
		return []int{int(m.How), truth(dir != t.dir), truth(x.behind(m.Path)), truth(!isPage(name)), strings.Count(m.Path, "/")}
	}
	slices.SortFunc(found, func(a, b Match) int {
		return cmp.Or(slices.Compare(rank(a), rank(b)), strings.Compare(a.Path, b.Path))
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (x *Index) behind(rel string) bool {
	for _, f := range x.o.Behind {
		if strings.HasPrefix(rel, f+"/") {
			return true
		}
	}
	return false
}

func (x *Index) byAlias(t *target) []Match {
	if t.anchored || !t.wiki {
		return nil
	}
	alias := Fold(t.tail)
	var found []Match
	x.find(keyHash(aliasKey, alias), func(r ref) {
		e := r.entry()
		if slices.ContainsFunc(e.aliases, func(a string) bool { return Fold(a) == alias }) {
			found = append(found, Match{e.path, Alias})
		}
	})
	x.prefer(t, found)
	return found
}

// byLoose finds a near miss: blanks, dashes and underscores differ. It is the last resort where the folder is right.
func (x *Index) byLoose(t *target) []Match {
	if !t.wiki || t.file {
		return nil
	}
	loose := loosePath(t.tail)
	return x.loosely(t, func(p string) (How, bool) {
		got := loosePath(p)
		return NearMiss, got == loose || !t.anchored && strings.HasSuffix(got, "/"+loose)
	})
}

// byOther finds the one page of that name when the folder is wrong.
func (x *Index) byOther(t *target) []Match {
	if !t.wiki || t.bare || t.file {
		return nil
	}
	found := x.loosely(t, func(p string) (How, bool) { return Elsewhere, isPage(p) && !x.behind(p) })
	if len(found) != 1 {
		return nil
	}
	return found
}

func (x *Index) loosely(t *target, judge func(p string) (How, bool)) []Match {
	loose := Loose(stem(t.tail))
	found := append(x.named(t, nameKey, loose, judge), x.named(t, looseKey, loose, judge)...)
	x.prefer(t, found)
	return found
}

// loosePath is a path with each part loose, without .md.
func loosePath(p string) string {
	parts := strings.Split(p, "/")
	parts[len(parts)-1] = stem(p)
	for i, s := range parts {
		parts[i] = Loose(s)
	}
	return strings.Join(parts, "/")
}

// Similar gives the pages that seem to be about the same idea as a page of that path, title and aliases: one of their names is the same
// without regard to case, blanks, dashes, accents and the English plural. rel itself is left out. Sorted: those that do not give way first.
func (x *Index) Similar(rel, title string, aliases []string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []Match
	for _, idea := range ideas(stem(rel), title, aliases) {
		x.find(keyHash(ideaKey, idea), func(r ref) {
			e := r.entry()
			if e.path != rel && slices.Contains(ideas(stem(e.path), e.title, e.aliases), idea) {
				found = append(found, Match{Path: e.path})
			}
		})
	}
	x.prefer(&target{dir: path.Dir(rel)}, found)
	found = slices.CompactFunc(found, func(a, b Match) bool { return a.Path == b.Path })
	out := make([]string, len(found))
	for i, m := range found {
		out[i] = m.Path
	}
	return out
}
