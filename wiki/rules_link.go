package wiki

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
)

// dropsIndexEntries holds for entries whose page stays (case o-lw-03).
func dropsIndexEntries(j *judge, p *page) string {
	if j.View == nil || p.BaseText == nil || p.NewText == nil || path.Base(p.Path) != "index.md" || !slices.Contains(j.Wiki.Shared, p.Path) {
		return ""
	}
	listed := map[string]bool{}
	for _, l := range index.Links(p.NewText) {
		listed[index.Fold(l.Target)] = true
		for _, to := range j.View.Resolve(p.Path, l.Target) {
			listed[to] = true
		}
	}
	var dropped []string
	for _, l := range index.Links(p.BaseText) {
		if l.External() || l.Target == "" || listed[index.Fold(l.Target)] {
			continue
		}
		listed[index.Fold(l.Target)] = true // an entry given twice is dropped once
		to := j.standing(p.Path, l.Target)
		if len(to) > 0 && !slices.ContainsFunc(to, func(rel string) bool { return listed[rel] }) {
			dropped = append(dropped, l.Target)
		}
	}
	if len(dropped) == 0 {
		return ""
	}
	return fmt.Sprintf("%s would go, though the pages stay: %s", plural(len(dropped), "entry", "entries"), some(dropped))
}

// standing are the pages that a link means now and that the proposal leaves where they are.
func (j *judge) standing(from, target string) []string {
	return slices.DeleteFunc(slices.Clone(j.View.Resolve(from, target)), func(rel string) bool { return j.made.gone[rel] })
}

// newBrokenLink holds for links that the base had not and that lead neither to a page or file of the wiki nor to a page of this proposal, and for a deletion or
// rename that breaks links elsewhere.
func newBrokenLink(j *judge, p *page) string {
	if j.View == nil {
		return ""
	}
	if left := j.leftBehind(p); len(left) > 0 {
		return "links to it would lead nowhere, in " + some(left)
	}
	if p.NewText == nil || !strings.HasSuffix(p.Path, ".md") {
		return ""
	}
	had := map[string]bool{}
	if p.BaseText != nil {
		for _, l := range index.Links(p.BaseText) {
			// A page that moves to another folder takes its relative links along, which then mean something else.
			had[index.Fold(l.Target)] = l.Kind != index.Markdown || p.Kind != "rename" || dirOf(p.From) == dirOf(p.Path)
		}
	}
	var broken []string
	for _, l := range j.made.pages[p.Path].Links {
		key := index.Fold(l.Target)
		if l.Target == "" || l.External() || had[key] {
			continue
		}
		had[key] = true
		if !j.made.resolves(p.Path, l.Target) && len(j.standing(p.Path, l.Target)) == 0 && !j.onDisk(p.Path, l.Target) {
			broken = append(broken, l.Target)
		}
	}
	if len(broken) == 0 {
		return ""
	}
	return fmt.Sprintf("%s to no page: %s", plural(len(broken), "new link leads", "new links lead"), some(broken))
}

// onDisk tells whether target is a file of the wiki, seen from the page or from the root: a view may know pages only.
func (j *judge) onDisk(from, target string) bool {
	return j.fileAt(path.Join(dirOf(from), target)) || j.fileAt(target)
}

// fileAt tells whether a regular file is at rel, whose folders are no links that leave the wiki, and stays there.
func (j *judge) fileAt(rel string) bool {
	rel = path.Clean(strings.TrimPrefix(rel, "/"))
	if j.Wiki.Real == "" || rel == ".." || strings.HasPrefix(rel, "../") || j.made.gone[rel] {
		return false
	}
	abs := filepath.Join(j.Wiki.Real, filepath.FromSlash(rel))
	fi, err := os.Lstat(abs)
	return err == nil && fi.Mode().IsRegular() && within(resolve(abs), j.Wiki.Real)
}

// leftBehind are pages whose links to a page would be broken by its deletion or rename.
func (j *judge) leftBehind(p *page) (from []string) {
	old := p.From
	if p.Kind == "delete" {
		old = p.Path
	}
	if old == "" || !j.made.gone[old] {
		return nil
	}
	for _, r := range j.View.Backlinks(old) {
		links := []index.Link{r.Link}
		if now, changed := j.made.pages[r.From]; changed {
			links = now.Links
		} else if j.made.gone[r.From] {
			continue
		}
		for _, l := range links {
			if slices.Contains(j.View.Resolve(r.From, l.Target), old) && len(j.standing(r.From, l.Target)) == 0 && !j.made.resolves(r.From, l.Target) {
				from = append(from, r.From)
				break
			}
		}
	}
	slices.Sort(from)
	return slices.Compact(from)
}

// duplicatePage holds for a new page whose idea has a page already (case o-lw-07), in the wiki or earlier in this proposal.
func duplicatePage(j *judge, p *page) string {
	if p.Kind != "create" || !strings.HasSuffix(p.Path, ".md") || slices.Contains(j.Wiki.Shared, p.Path) {
		return ""
	}
	now := j.made.pages[p.Path]
	title := now.Title
	if title == "" {
		title = strings.TrimSuffix(path.Base(p.Path), ".md")
	}
	var twins []string
	if j.View != nil {
		twins = j.View.Similar(p.Path, title, now.Aliases)
	}
	twins = slices.DeleteFunc(slices.Clone(twins), func(rel string) bool {
		return rel == p.Path || j.made.gone[rel] || j.Wiki.IsHuman(rel) || !strings.HasSuffix(rel, ".md")
	})
	idea := ideaOf(p.Path)
	if first := j.made.ideas[idea]; idea != "" && first != p.Path && !slices.Contains(twins, first) {
		twins = append(twins, first)
	}
	if len(twins) == 0 {
		return ""
	}
	return "there seems to be a page of the same idea: " + some(twins)
}
