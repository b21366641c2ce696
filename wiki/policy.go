package wiki

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/sandbox/diff"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// RunEnd is how far a run came, as far as policy is concerned.
type RunEnd int

// The ends. Of a run that stopped short every file is flagged, of an unfinished one everything is refused.
const (
	RunCompleted RunEnd = iota
	RunShort
	RunUnfinished
)

// Input is what policy judges: the changes of one run, by bytes and kinds, never by diff text.
type Input struct {
	Wiki    *Wiki
	Config  Config
	Op      string
	Writes  bool // the op may change pages
	Changes sandbox.Changes
	End     RunEnd
	Why     string   // why a run stopped short or did not finish: a clause
	Sources []string // rel paths of the run's sources
	View    View     // nil: the rules that need the wiki's links are skipped
	Made    []string // pages that are not on disk and count as if: those of proposals that this one is made on top of
	Gone    []string // pages that are on disk and count as if not, for the same reason
}

// A View answers about the wiki as it stands, without the changes. [*index.Index] is one.
type View interface {
	Resolve(from, target string) []string
	Similar(rel, title string, aliases []string) []string
	Backlinks(rel string) []index.Ref
}

// Judgement is policy's verdict on a run.
type Judgement struct {
	Files   []proposal.Draft   // kept, by path
	Refused []proposal.Refusal // dropped, in the order of the changes
	Texts   []RefusedText      // texts of the refused, where there are any
	Noise   int                // how many of Refused are leftovers of tools: a message counts them in one line (case o-fs-08)
}

// RefusedText is a refusal with its texts, for refused.diff. They are bounded by the limit of one file.
type RefusedText struct {
	proposal.Refusal
	Kind      string
	Base, New []byte
}

// Judge keeps, flags or refuses each change by the named rules of the design, section 5. It reads only the folders that the changes touch, and the
// schema; it costs nothing in proportion to the wiki.
func Judge(in Input) Judgement {
	j := newJudge(in)
	kept := j.refuse()
	j.pair(kept)
	j.flag()
	return j.out
}

// judge holds what the rules share while one run is judged.
type judge struct {
	Input
	out     Judgement
	names   *names
	protect globSet
	assets  globSet
	going   map[string]bool // paths that the run deletes, or found deleted
	made    *made           // pages that the proposal would make
	schema  string          // the schema's text, folded, "" where there is none
}

func newJudge(in Input) *judge {
	j := &judge{Input: in, going: map[string]bool{}, protect: newGlobSet(in.Config.Protect), assets: newGlobSet(in.Config.Assets)}
	if in.Config.Limits == (LimitsConfig{}) {
		j.Config.Limits = Defaults().Limits
	}
	if in.Config.Guards == (GuardsConfig{}) {
		j.Config.Guards = Defaults().Guards
	}
	for _, c := range in.Changes.List {
		if c.Kind == sandbox.Delete {
			j.going[c.Path] = true
		}
	}
	for _, rel := range in.Gone {
		j.going[rel] = true
	}
	j.names = newNames(in.Wiki.Real, j.going)
	for _, rel := range in.Made {
		j.names.add(sandbox.Change{Path: rel, Kind: sandbox.Create})
	}
	return j
}

// refuse drops what may not be and returns the rest.
func (j *judge) refuse() (kept []sandbox.Change) {
	rules := refusalRules()
	for _, c := range j.Changes.List {
		s := &suspect{Change: c, fold: foldPath(c.Path)}
		refused := false
		for _, r := range rules {
			reason := r.why(j, s)
			if reason == "" {
				continue
			}
			j.drop(c, r.name, reason)
			if refused = !r.keeps; refused {
				break
			}
		}
		if !refused && !unchanged(c) {
			j.names.add(c)
			kept = append(kept, c)
		}
	}
	return kept
}

// unchanged tells a change of the mode only: nothing of it is left once the mode is refused.
func unchanged(c sandbox.Change) bool {
	return c.Kind == sandbox.Odd || c.Kind == sandbox.Edit && c.HasBase && string(c.Base) == string(c.New)
}

func (j *judge) drop(c sandbox.Change, rule, reason string) {
	r := proposal.Refusal{Path: c.Path, Rule: rule, Reason: reason}
	j.out.Refused = append(j.out.Refused, r)
	if isLeftover(c.Path) && (rule == "hidden-path" || rule == "not-a-page") {
		j.out.Noise++
	}
	if int64(len(c.New)) <= j.Config.Limits.FileBytes && (c.New != nil || c.Base != nil) {
		j.out.Texts = append(j.out.Texts, RefusedText{Refusal: r, Kind: string(c.Kind), Base: c.Base, New: c.New})
	}
}

// pair turns the kept changes into drafts, a deletion and a creation that git would call a rename into one.
func (j *judge) pair(kept []sandbox.Change) {
	var gone, come []diff.FileDiff
	drafts := map[string]proposal.Draft{}
	for _, c := range kept {
		d := proposal.Draft{File: proposal.File{Path: c.Path, Kind: string(c.Kind)}, NewText: c.New}
		if c.HasBase {
			d.BaseText = c.Base
		}
		if c.Kind != sandbox.Delete && d.NewText == nil {
			d.NewText = []byte{}
		}
		switch {
		case c.Kind == sandbox.Delete && c.HasBase:
			gone = append(gone, diff.FileDiff{Path: c.Path, Kind: diff.Delete, Old: c.Base})
		case c.Kind == sandbox.Create:
			come = append(come, diff.FileDiff{Path: c.Path, Kind: diff.Create, New: d.NewText})
		}
		drafts[c.Path+"\x00"+d.Kind] = d
	}
	renames, _ := diff.Pair(gone, come)
	for _, r := range renames {
		delete(drafts, r.From+"\x00delete")
		delete(drafts, r.Path+"\x00create")
		drafts[r.Path+"\x00rename"] = proposal.Draft{File: proposal.File{Path: r.Path, From: r.From, Kind: "rename"}, BaseText: r.Old, NewText: r.New}
	}
	for _, k := range sortedKeys(drafts) {
		d := drafts[k]
		d.Base, d.New = hashOf(d.BaseText), hashOf(d.NewText)
		d.Added, d.Removed = diff.Stat(d.BaseText, d.NewText)
		d.Shared = slices.Contains(j.Wiki.Shared, d.Path)
		j.out.Files = append(j.out.Files, d)
	}
}

func hashOf(text []byte) string {
	if text == nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// flag marks what needs an explicit yes.
func (j *judge) flag() {
	j.made = newMade(j.out.Files)
	j.schema = readSchema(j.Wiki)
	rules := flagRules()
	for i := range j.out.Files {
		p := &page{Draft: &j.out.Files[i]}
		for _, r := range rules {
			if reason := r.why(j, p); reason != "" {
				p.Flags = append(p.Flags, proposal.Flag{Rule: r.name, Reason: reason})
			}
		}
	}
}

// some names up to three things, and how many more there are.
func some(things []string) string {
	const most = 3
	if len(things) <= most {
		return strings.Join(things, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(things[:most], ", "), len(things)-most)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
