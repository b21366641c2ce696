package lint

import (
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// folder judges whether the page lies where the schema has its kind (case o-lw-04).
func (p *page) folder() {
	top, rest, ok := p.rules.inFolder(p.Path)
	if !ok || len(p.rules.Known) == 0 || p.rules.shared(p.Path) {
		return
	}
	kind := strings.ToLower(strings.TrimSpace(p.Front.Get("type")))
	meant, typed := p.rules.Types[kind]
	start, end := 0, p.firstLine()
	if f, has := p.Front.Field("type"); has {
		start, end = f.Start, f.End
	}
	if slices.Contains(p.rules.Known, top) {
		if typed && meant != top {
			p.add("type-directory-mismatch", Warning, start, end, "a page of type "+kind+" belongs into "+meant+"/, this one is in "+top+"/", p.moveTo(meant, rest))
		}
		return
	}
	if !typed {
		meant = nearFolder(top, p.rules.Known)
	}
	if meant == "" {
		p.add("unknown-directory", Hint, 0, p.firstLine(), "the schema knows no folder "+top+"/")
		return
	}
	p.add("unknown-directory", Warning, 0, p.firstLine(), "the schema knows no folder "+top+"/, but "+meant+"/", p.moveTo(meant, rest))
}

func (p *page) moveTo(folder, rest string) Fix {
	to := path.Join(folder, rest)
	return Fix{Title: "Move to " + to, Move: to}
}

// inFolder takes the page's folder of pages and the path in it; false for what lies in none.
func (r Rules) inFolder(rel string) (folder, rest string, ok bool) {
	inner := rel
	if r.Pages != "" {
		if inner, ok = strings.CutPrefix(rel, r.Pages+"/"); !ok {
			return "", "", false
		}
	}
	folder, rest, ok = strings.Cut(inner, "/")
	return path.Join(r.Pages, folder), rest, ok
}

// nearFolder is the known folder whose name is nearly that one: another number, a typing mistake.
func nearFolder(folder string, known []string) string {
	name := path.Base(folder)
	for _, k := range known {
		if a, b := singular(name), singular(path.Base(k)); a == b || Nearly(a, b) {
			return k
		}
	}
	return ""
}

func singular(s string) string {
	s = strings.ToLower(s)
	switch {
	case strings.HasSuffix(s, "ies"):
		return s[:len(s)-3] + "y"
	case strings.HasSuffix(s, "ses"):
		return s[:len(s)-2] + "is"
	case strings.HasSuffix(s, "s") && !strings.HasSuffix(s, "ss") && !strings.HasSuffix(s, "is"):
		return s[:len(s)-1]
	}
	return s
}

// Nearly tells whether two names are a typing mistake apart: letters inserted, left out, replaced or swapped with a neighbour, at most one in four letters and
// two at most.
func Nearly(a, b string) bool {
	x, y := []rune(a), []rune(b)
	_, near := index.Distance(x, y, index.Mistakes(max(len(x), len(y))))
	return near
}
