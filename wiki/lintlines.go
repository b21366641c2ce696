package wiki

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/lint"
	"github.com/rigwiki/rig/wiki/proposal"
)

// SemanticCode begins the codes of findings that an agent made: they are its opinion.
const SemanticCode = "semantic-"

// semanticLine is `path:line: code: message`, with what models make of it: a mark of a list, quotes or brackets around the path, a range of lines or none,
// a dash for the colon, emphasis.
var semanticLine = lazyRE("^(?:[-*+•]|\\d+[.)])?\\s*[*_`\"\\[(]*([^\\s:*`\"|\\]][^:*`\"|\\]]*?)(?:\\|[^\\]]*)?[*_`\"\\])]*(?:(?::|#L|\\s+line\\s+)(\\d+)(?:[-–:]\\d+)?)?[*_`\"\\])]*\\s*(?::|—|–|\\s-)\\s*[*_`\\[(]*([A-Za-z][A-Za-z -]{2,30}?)[*_`\\])]*\\s*(?::|—|–|\\s-)\\s*[*_]*\\s*(\\S.*)$")

// semanticSeverity is how much a kind of finding matters. None is severe: nothing proves it.
func semanticSeverity(code string) lint.Severity {
	switch code {
	case "contradiction", "unsourced", "outdated":
		return lint.Warning
	}
	return lint.Hint
}

// codeWords are other words for the codes that the prompt gives.
func codeWords() map[string]string {
	return map[string]string{
		"contradictions": "contradiction", "contradicts": "contradiction", "conflict": "contradiction", "stale": "outdated", "out-of-date": "outdated", "duplicates": "duplicate",
		"overlap": "duplicate", "no-source": "unsourced", "missing-source": "unsourced", "unclear-claim": "unclear", "ambiguous": "unclear",
	}
}

// semanticFindings reads an agent's lines. Those that tell of no page are given back as they are; what frames the list (a heading, "no findings", a fence, a
// sentence that ends in a colon) is passed over. A line number beyond the page's end becomes 1.
func semanticFindings(x *index.Index, answer string) (found []proposal.Finding, odd []string) {
	seen := map[proposal.Finding]bool{}
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if isFraming(line) {
			continue
		}
		m := semanticLine().FindStringSubmatch(line)
		if m == nil {
			odd = append(odd, line)
			continue
		}
		rel, message := pageNamed(x, strings.TrimSpace(m[1])), plain(strings.Trim(m[4], "*_ "), 500)
		if rel == "" || message == "" {
			odd = append(odd, line)
			continue
		}
		code := strings.ToLower(strings.Join(strings.Fields(m[3]), "-"))
		if word := codeWords()[code]; word != "" {
			code = word
		}
		f := proposal.Finding{Path: rel, Line: lineIn(x, rel, m[2]), Code: SemanticCode + code, Severity: string(semanticSeverity(code)), Message: message}
		if !seen[f] {
			seen[f] = true
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b proposal.Finding) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.Line - b.Line
	})
	return found, odd
}

func isFraming(line string) bool {
	bare := strings.ToLower(strings.Trim(line, "#*_-`~ .:"))
	return bare == "" || bare == "no findings" || bare == "findings" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "#") && !semanticLine().MatchString(line) ||
		strings.HasSuffix(line, ":") && !strings.Contains(strings.TrimSuffix(line, ":"), ":")
}

// pageNamed is the page that a path or slug means, "" where there is none.
func pageNamed(x *index.Index, name string) string {
	name = strings.TrimPrefix(path.Clean("/"+strings.TrimPrefix(name, "./")), "/")
	if _, ok := x.Page(name); ok {
		return name
	}
	for _, rel := range x.Resolve("", name) {
		if _, ok := x.Page(rel); ok {
			return rel
		}
	}
	return ""
}

func lineIn(x *index.Index, rel, digits string) int {
	n, err := strconv.Atoi(digits)
	text, _ := x.Source(rel)
	if err != nil || n < 1 || n > bytes.Count(text, []byte("\n"))+1 {
		return 1
	}
	return n
}
