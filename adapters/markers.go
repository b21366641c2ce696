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

// Markers finds the marker lines of a final text, in order. A marker counts at a line's start only. One whose reason begins with "<"
// is the prompt's own template, which an agent repeated, and is left out; so is a PR REVIEW without a verdict.
func Markers(text string) []Marker {
	var out []Marker
	for line := range strings.Lines(text) {
		for _, name := range MarkerNames() {
			rest, ok := strings.CutPrefix(line, name+":")
			if !ok {
				continue
			}
			m := Marker{Name: name, Text: strings.TrimSpace(rest)}
			if isAnswer(m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// Find returns the last marker of a name: where an agent corrects itself, its last word counts.
func Find(markers []Marker, name string) (Marker, bool) {
	for i := len(markers) - 1; i >= 0; i-- {
		if markers[i].Name == name {
			return markers[i], true
		}
	}
	return Marker{}, false
}

func isAnswer(m Marker) bool {
	if strings.HasPrefix(m.Text, "<") {
		return false
	}
	switch m.Name {
	case PRReview:
		for _, v := range verdicts() {
			rest, ok := strings.CutPrefix(m.Text, v)
			// "APPROVE|REQUEST CHANGES" is the template too.
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

// AsksBack tells whether a final text ends by asking the user something: its last line that is not a marker ends in a question mark
// (of any script), emphasis, quotes and brackets aside. A question inside a code block does not count.
func AsksBack(text string) bool {
	last, fenced := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			last = ""
			continue
		}
		if line == "" || fenced {
			continue
		}
		if len(Markers(line)) > 0 {
			return false // a verdict or a slug is an end, whatever stands above it
		}
		last = line
	}
	last = strings.TrimRight(last, "*_`\"'”’»)] ")
	for _, q := range []string{"?", "？", "؟", "⸮"} {
		if strings.HasSuffix(last, q) {
			return true
		}
	}
	return false
}
