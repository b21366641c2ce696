package adapters

import "strings"

// AsksBack tells whether a final text ends by asking the user something: its last line that is not a marker ends in a question mark (of any
// script), emphasis, quotes and brackets aside. A list of options below the question, and a word of courtesy at the very end ("Let me know."), belong
// to it. A question inside a code block does not count, nor does one that a sentence of another kind follows.
func AsksBack(text string) bool {
	lines, ended := proseLines(text)
	if ended {
		return false // a verdict or a slug is an end, whatever stands above it
	}
	options := 0
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(courtesyRE().ReplaceAllString(lines[i], "$1"))
		switch {
		case line == "" && i > 0 && i == len(lines)-1: // a courtesy alone
		case asks(line):
			return options == 0 || !strings.HasPrefix(line, "#") && choiceRE().MatchString(line)
		case !optionRE().MatchString(lines[i]):
			return false
		default:
			options++
		}
	}
	return false
}

var (
	// optionRE is an item of a list: "1. x", "b) x", "(a) x", "- x", "Option A: x".
	optionRE = lazyRE(`^(?:[-*+•]\s|\(?(?:\d{1,2}|[A-Za-z])[.):]\s|[*_]{0,2}(?i:option)\s+\w+\b)`)
	// choiceRE is a question that somebody is asked: "What changed?" above a list is a heading.
	choiceRE = lazyRE(`(?i)\b(?:you|your|I|we|which|shall|should)\b|[^\x00-\x7f]`)
	// courtesyRE is what adds nothing to a question that was asked: a last short sentence that waits for its answer.
	courtesyRE = lazyRE(`(?i)(^|[?？]["'*_)]*\s+)[*_]*(?:(?:please\s+)?(?:just\s+)?let me know(?: (?:which|what|how|if)\b[^.?!]{0,80})?|please (?:choose|advise|confirm|tell me|pick one|reply)\b[^.?!]{0,80}|I(?:'|’)?(?:ll| will) (?:wait|go on|proceed|continue) (?:for|once|when|after|until)\b[^.?!]{0,80}|waiting for your (?:answer|reply|decision)|thanks|thank you)[.!]?[*_]*$`)
)

// proseLines are a text's lines without blanks around them, empty lines and code blocks. ended: a marker stands among the last of them.
func proseLines(text string) (lines []string, ended bool) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			lines = nil // what stands above code is not the end
			continue
		}
		if line == "" || fenced {
			continue
		}
		if len(Markers(line)) > 0 {
			return nil, true
		}
		lines = append(lines, line)
	}
	return lines, false
}

// asks tells whether a line ends in a question mark.
func asks(line string) bool {
	line = strings.TrimRight(line, "*_`\"'”’»)] ")
	for _, q := range []string{"?", "？", "؟", "⸮"} {
		if strings.HasSuffix(line, q) {
			return true
		}
	}
	return false
}
