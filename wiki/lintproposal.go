package wiki

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// maxProposedFindings bounds what is told of a proposal's pages.
const maxProposedFindings = 200

// lintProposal is step 10: what lint would find in the pages of the proposal if it were applied, and did not find before.
func (r *run) lintProposal(x *index.Index) {
	pages := map[string][]byte{}
	for _, d := range r.verdict.Files {
		if d.From != "" {
			pages[d.From] = nil
		}
	}
	for _, d := range r.verdict.Files {
		pages[d.Path] = nil
		if d.Kind != proposal.Delete {
			pages[d.Path] = append([]byte{}, d.NewText...)
		}
	}
	rules := r.host.LintRules(r.wiki)
	rules.Drift = nil       // the source of a page that is new is the one at hand
	had := map[string]int{} // before: x is not to be asked within With
	for _, d := range r.verdict.Files {
		for _, f := range lint.Page(x, rules, cmp.Or(d.From, d.Path)) {
			had[d.Path+"\n"+f.Code+"\n"+f.Message]++
		}
	}
	x.With(pages, func(y *index.Index) {
		for _, d := range r.verdict.Files {
			if d.Kind == proposal.Delete { // there is no page to find anything in
				continue
			}
			for _, f := range lint.Page(y, rules, d.Path) {
				key := d.Path + "\n" + f.Code + "\n" + f.Message
				if had[key]--; had[key] < 0 && len(r.rec.Findings) < maxProposedFindings {
					r.rec.Findings = append(r.rec.Findings, proposal.Finding{Path: f.Path, Line: f.Line, Code: f.Code, Severity: string(f.Severity), Message: f.Message})
				}
			}
		}
	})
	slices.SortStableFunc(r.rec.Findings, func(a, b proposal.Finding) int { return strings.Compare(a.Path, b.Path) })
}
