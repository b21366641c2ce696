package wiki

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rigwiki/rig/wiki/proposal"
)

// A flagRule keeps a change and asks for an explicit yes: why is a sentence for people, "" where the rule does not hold.
type flagRule struct {
	name string
	why  func(j *judge, p *page) string
}

// page is a kept change.
type page struct {
	*proposal.Draft
}

// flagRules are the flags of the design, section 5. All that hold are told.
func flagRules() []flagRule {
	return []flagRule{
		{"deletes-page", deletesPage},
		{"shrinks-page", shrinksPage},
		{"rewrites-log", rewritesLog},
		{"drops-index-entries", dropsIndexEntries},
		{"drops-contradiction", dropsContradiction},
		{"sources-not-raw", sourcesNotRaw},
		{"new-broken-link", newBrokenLink},
		{"duplicate-page", duplicatePage},
		{"missing-front-matter", missingFrontMatter},
		{"agent-instructions", agentInstructions},
		{"incomplete-run", incompleteRun},
		{"many-changes", manyChanges},
	}
}

// deletesPage holds for an emptied page too, and for what takes the place of one (case o-df-13).
func deletesPage(j *judge, p *page) string {
	switch p.Kind {
	case "delete":
		return p.Path + " would be deleted"
	case "create":
		if d := j.made.displaced(p.Path); d != "" {
			return "it takes the place of " + d + ", which would be deleted"
		}
	case "edit":
		if p.BaseText != nil && len(bytes.TrimSpace(p.BaseText)) > 0 && len(bytes.TrimSpace(p.NewText)) == 0 {
			return "all of its text would go"
		}
	}
	return ""
}

func shrinksPage(j *judge, p *page) string {
	if p.BaseText == nil || p.NewText == nil {
		return ""
	}
	was, is := lineCount(p.BaseText), lineCount(p.NewText)
	if was <= j.Config.Guards.ShrinkLines {
		return ""
	}
	share := max(lost(was, is), lost(len(p.BaseText), len(p.NewText)))
	if share <= j.Config.Guards.Shrink {
		return ""
	}
	return fmt.Sprintf("it would lose %.0f %% of its text (%d lines become %d)", 100*share, was, is)
}

func lost(was, is int) float64 {
	if was == 0 || is >= was {
		return 0
	}
	return float64(was-is) / float64(was)
}

func lineCount(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// rewritesLog lets an append through, and blank lines at the old end go.
func rewritesLog(j *judge, p *page) string {
	if p.BaseText == nil || p.NewText == nil || !j.appendOnly(p.Draft) {
		return ""
	}
	base := bytes.TrimRight(p.BaseText, " \t\r\n")
	rest, ok := bytes.CutPrefix(p.NewText, base)
	if ok && (len(base) == 0 || len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0]))) {
		return ""
	}
	return fmt.Sprintf("%s grows at its end only, and something above it would change", path.Base(p.Path))
}

// appendOnly tells the wiki's log and reviews, also where they would be renamed.
func (j *judge) appendOnly(d *proposal.Draft) bool {
	for _, s := range j.Wiki.Shared {
		if name := path.Base(s); (name == "log.md" || name == "reviews.md") && (d.Path == s || d.From == s) {
			return true
		}
	}
	return false
}

// agentInstructions holds for files that agents read as orders, wherever they lie; the one that serves as the schema is protected.
func agentInstructions(_ *judge, p *page) string {
	for _, at := range []string{p.Path, p.From} {
		if at != "" && slices.Contains([]string{"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md"}, path.Base(foldPath(at))) {
			return "agents read " + path.Base(at) + " as instructions: it would steer later runs"
		}
	}
	return ""
}

func incompleteRun(j *judge, _ *page) string {
	switch {
	case j.End != RunShort:
		return ""
	case j.Why != "":
		return "the run stopped short: " + j.Why
	}
	return "the run stopped short: the work may be half done"
}

func manyChanges(j *judge, _ *page) string {
	if n := len(j.out.Files); n > j.Config.Guards.ManyChanges {
		return fmt.Sprintf("the run changed %d pages, more than %d", n, j.Config.Guards.ManyChanges)
	}
	return ""
}
