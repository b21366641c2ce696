package adapters

import "strings"

// A Marker is a line of the final text that tells the host how a run ended (design section 9).
type Marker struct {
	Name string `json:"name"`           // one of MarkerNames
	Text string `json:"text,omitempty"` // what follows the colon: a reason, a verdict, a slug
}

// The marker names.
const (
	NotReady  = "NOT READY"
	Relevance = "RELEVANCE REVIEW"
	PRReview  = "PR REVIEW" // Text begins with APPROVE or REQUEST CHANGES
	Addressed = "ADDRESSED"
	Ingested  = "INGEST DONE" // Text is a slug
)

// MarkerNames are the markers that count.
func MarkerNames() []string { return []string{NotReady, Relevance, PRReview, Addressed, Ingested} }

// verdicts are the only openings that a PR REVIEW line may have.
func verdicts() []string { return []string{"APPROVE", "REQUEST CHANGES"} }

// Markers finds the marker lines of a final text, in order. A marker counts at a line's start only; markdown's emphasis around it or its name, a
// heading's sign and a carriage return do not count. One whose reason begins with "<" is the prompt's own template, which an agent repeated, and is left
// out; so is a PR REVIEW without a verdict.
func Markers(text string) []Marker {
	var out []Marker
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if m, ok := markerIn(line); ok && isAnswer(m) {
			out = append(out, m)
		}
	}
	return out
}

// emphasis are the signs that markdown puts around words.
const emphasis = "*_`"

// markerIn reads one line: "NOT READY: x", "**NOT READY:** x", "**NOT READY**: x", "## `NOT READY: x`".
func markerIn(line string) (m Marker, ok bool) {
	if rest := strings.TrimLeft(line, "#"); rest != line {
		line = strings.TrimLeft(rest, " ")
	}
	line = strings.TrimLeft(line, emphasis) // "* NOT READY:" is an item of a list: it goes on with a blank, which no name does
	for _, name := range MarkerNames() {
		rest, found := strings.CutPrefix(line, name)
		if !found {
			continue
		}
		if rest, found = strings.CutPrefix(strings.TrimLeft(rest, emphasis), ":"); !found {
			continue
		}
		rest = strings.TrimSpace(rest)
		if bare := strings.TrimLeft(rest, emphasis); strings.HasPrefix(bare, " ") || bare == "" || strings.HasPrefix(bare, "<") {
			rest = bare // what closes the name's emphasis, or dresses the template
		}
		if rest = strings.TrimSpace(rest); name == PRReview {
			rest = plainVerdict(strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(rest)))
		}
		return Marker{Name: name, Text: closed(rest)}, true
	}
	return m, false
}

// plainVerdict takes single signs of emphasis off a verdict: "*APPROVE* it is".
func plainVerdict(text string) string {
	bare := strings.TrimLeft(text, emphasis)
	for _, v := range verdicts() {
		if after, ok := strings.CutPrefix(bare, v); ok && bare != text {
			return v + strings.TrimLeft(after, emphasis)
		}
	}
	return text
}

// closed takes off emphasis at the end that was opened before the text.
func closed(text string) string {
	for _, sign := range []string{"**", "__", "`", "*", "_"} {
		if bare, ok := strings.CutSuffix(text, sign); ok && strings.Count(bare, sign)%2 == 0 {
			return strings.TrimSpace(bare)
		}
	}
	return text
}

func isAnswer(m Marker) bool {
	if strings.HasPrefix(m.Text, "<") {
		return false
	}
	switch m.Name {
	case PRReview:
		for _, v := range verdicts() {
			rest, ok := strings.CutPrefix(m.Text, v)
			// "APPROVE|REQUEST CHANGES" is the template too, in whatever words both are offered.
			if other := strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(rest, " /|,"), "or "), " "); strings.HasPrefix(other, "REQUEST CHANGES") || strings.HasPrefix(other, "APPROVE") {
				continue
			}
			if ok && (rest == "" || strings.ContainsAny(rest[:1], " \t.,;:-")) {
				return true
			}
		}
		return false
	case Ingested:
		return m.Text != ""
	}
	return true
}
