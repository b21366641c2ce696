package wiki

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// maxSentences is how long an answer is asked to be.
const maxSentences = 6

// checkedAnswer is an answer whose citations were looked up.
type checkedAnswer struct {
	text      string // with a mark behind each citation that does not hold
	citations []proposal.Citation
	warnings  []string
	pages     []string // pages cited that are there, each once
}

// checkAnswer looks each citation of an answer up. One that does not exist becomes plain text with a mark, one whose page has too few of its
// sentence's terms or lacks its figures gets a mark (case o-lw-11). Words are compared, not meaning: a mark says what was counted.
func checkAnswer(x *index.Index, answer string) checkedAnswer {
	c := checkedAnswer{citations: []proposal.Citation{}}
	claims := claimsOf(answer)
	pages := map[string]*citedPage{}
	var b strings.Builder
	at := 0
	for _, claim := range claims {
		found := make([]*citedPage, len(claim.cites))
		marks := make([]proposal.Citation, len(claim.cites))
		for i, l := range claim.cites {
			marks[i] = lookUp(x, l)
			if marks[i].Path == "" {
				continue
			}
			if pages[marks[i].Path] == nil {
				pages[marks[i].Path] = readCited(x, marks[i].Path)
				c.pages = append(c.pages, marks[i].Path)
			}
			found[i] = pages[marks[i].Path]
		}
		judgeClaim(claim, found, marks)
		for i, l := range claim.cites {
			b.WriteString(answer[at:l.Start])
			b.WriteString(shownCitation(answer[l.Start:l.End], l, marks[i]))
			at = l.End
			if !slices.Contains(c.citations, marks[i]) {
				c.citations = append(c.citations, marks[i])
			}
		}
	}
	b.WriteString(answer[at:])
	c.text = b.String()
	c.warnings = answerWarnings(answer, claims, c.citations)
	return c
}

// shownCitation is a citation as the reader sees it.
func shownCitation(written string, l index.Link, c proposal.Citation) string {
	switch {
	case c.OK:
		return written
	case c.Path == "" || c.Why == noHeading || c.Why == noBlock:
		written = cmp.Or(l.Alias, c.Slug)
	}
	return written + " (" + c.Why + ")"
}

func answerWarnings(answer string, claims []claim, citations []proposal.Citation) (out []string) {
	bad, sentences, bare := 0, 0, 0
	for _, c := range claims {
		if !c.isLabel() {
			sentences++
		}
		if len(c.cites) == 0 && c.isStatement() {
			bare++
		}
	}
	for _, c := range citations {
		if !c.OK {
			bad++
		}
	}
	if bad > 0 {
		out = append(out, fmt.Sprintf("%d of %d citations not confirmed; they are marked in the answer", bad, len(citations)))
	}
	if sentences > maxSentences {
		out = append(out, fmt.Sprintf("the answer has %d sentences; at most %d were asked for", sentences, maxSentences))
	}
	switch {
	case len(citations) == 0 && !isUnknown(answer):
		out = append(out, "the answer cites no page: nothing in it could be checked")
	case len(citations) > 0 && bare > 0:
		out = append(out, fmt.Sprintf("%d of %s no page: not checked", bare, plural(sentences, "sentence cites", "sentences cite")))
	}
	return out
}

var unknownRE = lazyRE(`(?i)\b(wiki|pages?)\b[^.!?\n]{0,40}\b(does not|doesn['’]t|do not|don['’]t|has no|have no|says? nothing|contains? no|cannot)\b`)

// isUnknown tells the answer that the wiki does not know.
func isUnknown(answer string) bool { return unknownRE().MatchString(answer) }

// The reasons why a citation does not exist.
const (
	noPage    = "page not found"
	noHeading = "no such heading"
	noBlock   = "no such block"
)

// lookUp finds the page that a citation means. A page stands before a source of the same name.
func lookUp(x *index.Index, l index.Link) proposal.Citation {
	c := proposal.Citation{Slug: l.Target}
	switch {
	case l.Block != "":
		c.Slug += "#^" + l.Block
	case l.Heading != "":
		c.Slug += "#" + l.Heading
	}
	to := x.Resolve("", l.Target)
	slices.SortStableFunc(to, func(a, b string) int { return rank(below(a, "raw")) - rank(below(b, "raw")) })
	if l.Target == "" || len(to) == 0 {
		c.Why = noPage
		return c
	}
	p, ok := x.Page(to[0])
	if !ok {
		c.Why = noPage
		return c
	}
	c.Path, c.OK = to[0], true
	if _, ok := p.Anchor(l); l.Heading != "" && !ok {
		c.OK, c.Why = false, noHeading
	}
	if l.Block != "" && !p.HasBlock(l.Block) {
		c.OK, c.Why = false, noBlock
	}
	return c
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

// citedPage is what a page says, as far as a citation is judged by it.
type citedPage struct {
	terms   map[string]bool // stems
	figures map[string]bool
	short   map[string]bool // words of up to four letters, which tell a language
	words   int
	broad   bool // most letters are of scripts that write no blanks
}

func readCited(x *index.Index, rel string) *citedPage {
	p, _ := x.Page(rel)
	text, _ := x.Source(rel)
	body := strings.Join(append([]string{p.Title, strings.TrimSuffix(path.Base(rel), ".md"), string(text)}, p.Aliases...), "\n")
	c := &citedPage{terms: map[string]bool{}, figures: map[string]bool{}, short: map[string]bool{}}
	for _, t := range index.Terms(body) {
		c.terms[stemOf(t)] = true
	}
	for _, f := range figures(body) {
		c.figures[f] = true
	}
	words := lettersOf(body)
	c.words = len(words)
	for _, w := range words {
		if len(w) <= 4 {
			c.short[w] = true
		}
	}
	c.broad = isBroad(body)
	return c
}

// judgeClaim compares a sentence with the pages that it cites: each has to have a third of its terms, less where several share them, and each figure has to be
// on one of them.
func judgeClaim(c claim, pages []*citedPage, marks []proposal.Citation) {
	terms, wanted := index.Terms(c.text), figures(c.text)
	there := 0
	for _, p := range pages {
		if p != nil {
			there++
		}
	}
	for i, p := range pages {
		if p == nil || !marks[i].OK || len(terms) == 0 {
			continue
		}
		if p.foreign(c.text) {
			marks[i].Why = "not compared: the page is in another language"
			continue
		}
		have := 0
		for _, t := range terms {
			if p.terms[stemOf(t)] {
				have++
			}
		}
		if have == 0 || have*3*there < len(terms) {
			marks[i].OK, marks[i].Why = false, fmt.Sprintf("the page has %d of the sentence's %s", have, plural(len(terms), "term", "terms"))
			continue
		}
		for _, f := range wanted {
			if !slices.ContainsFunc(pages, func(p *citedPage) bool { return p != nil && p.figures[f] }) {
				marks[i].OK, marks[i].Why = false, "the page does not say "+f
				break
			}
		}
	}
}

// foreign tells whether a sentence is in another language than the page: another script, or hardly any of its short words is there.
func (p *citedPage) foreign(sentence string) bool {
	if isBroad(sentence) != p.broad {
		return true
	}
	const enough = 60 // words of the page; a shorter one has few of any language's short words
	if p.words < enough {
		return false
	}
	short, known := map[string]bool{}, 0
	for _, w := range lettersOf(sentence) {
		if len(w) <= 4 && !short[w] {
			short[w] = true
			if p.short[w] {
				known++
			}
		}
	}
	return len(short) >= 4 && known*4 < len(short)
}

func isBroad(s string) bool {
	broad, narrow := 0, 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			broad++
		case unicode.IsLetter(r):
			narrow++
		}
	}
	return broad*3 > narrow
}

func lettersOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
}

var figureRE = lazyRE(`\d(?:[\d.,'’]|[\x{a0}\x{202f}\x{2009}]\d{3})*\d`)

// figures are the numbers of two digits and more, as [figure] writes them.
func figures(s string) (out []string) {
	for _, f := range figureRE().FindAllString(s, -1) {
		out = append(out, figure(f))
	}
	return out
}

// figure writes a number without separators of thousands, with a point before what is less than one, and without zeros at its end: "1,240" is 1240,
// "65.0" and "65,0" are 65. Of one mark with three digits behind it nobody can tell which it is; it counts as one of thousands.
func figure(f string) string {
	f = strings.NewReplacer("'", "", "’", "", "\u00a0", "", "\u202f", "", "\u2009", "").Replace(f)
	last := strings.LastIndexAny(f, ".,")
	if last < 0 {
		return f
	}
	whole, rest := f[:last], f[last+1:]
	other := strings.ContainsAny(whole, ".,") && !strings.Contains(whole, f[last:last+1])
	if !other && (len(rest) == 3 || strings.ContainsAny(whole, ".,")) {
		if thousands(f) {
			return strings.NewReplacer(".", "", ",", "").Replace(f)
		}
		return f // a version, a date
	}
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	if rest = strings.TrimRight(rest, "0"); rest == "" {
		return whole
	}
	return whole + "." + rest
}

// thousands tells a number whose parts behind the first one have three digits each.
func thousands(f string) bool {
	parts := strings.FieldsFunc(f, func(r rune) bool { return r == '.' || r == ',' })
	for _, p := range parts[1:] {
		if len(p) != 3 {
			return false
		}
	}
	return true
}

// stemOf cuts a term to what its forms share: "flowers", "flowering" and "flower" are one.
func stemOf(t string) string {
	if utf8.RuneCountInString(t) < 5 {
		return t
	}
	for _, end := range []string{"ation", "ing", "ion", "ied", "ed", "er", "ly", "y", "e"} {
		if cut, ok := strings.CutSuffix(t, end); ok && utf8.RuneCountInString(cut) >= 4 {
			t = cut
			break
		}
	}
	if r := []rune(t); len(r) > 6 {
		return string(r[:6])
	}
	return t
}
