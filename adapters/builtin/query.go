package builtin

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"slices"
	"strings"
)

// maxAnswer is how many sentences an answer has at most.
const maxAnswer = 6

// A passage is a sentence of a page that may answer.
type passage struct {
	text  string
	link  string
	rel   string
	pos   int
	terms map[string]bool // of the sentence
	about map[string]bool // of its page's names
	score float64
}

// query answers with sentences of the wiki, each with its page, or says that the wiki does not know.
func (a *agent) query() (string, error) {
	asked := content(words(a.job.Question))
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if len(asked) == 0 {
		return unknown, nil
	}
	pages, weight := a.candidates(asked)
	passages := a.passages(pages, asked)
	total := 0.0
	for _, t := range asked {
		total += weight[t]
	}
	for i := range passages {
		p := &passages[i]
		for _, t := range asked {
			switch {
			case p.terms[t]:
				p.score += weight[t]
			case p.about[t]:
				p.score += weight[t] * 0.6 // what the page is called goes for each of its sentences, but less
			}
		}
		p.score /= total * (1 + math.Log(1+float64(len(p.terms)))/20) // of equals the shorter one
	}
	// Half of what was asked, weighed by rarity, must be in a sentence and the title of its page: anything less is a guess.
	passages = slices.DeleteFunc(passages, func(p passage) bool { return p.score < 0.45 })
	if len(passages) == 0 {
		return unknown, nil
	}
	slices.SortStableFunc(passages, func(x, y passage) int {
		return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(x.rel, y.rel), cmp.Compare(x.pos, y.pos))
	})
	return answer(passages), nil
}

const unknown = "The wiki does not know: no page says anything about this. (The built-in agent searches for words; an agent with a model may find more.)"

func answer(passages []passage) string {
	var out []string
	var seen []map[string]bool
	best := passages[0].score
	for _, p := range passages {
		if len(out) == maxAnswer || p.score < best*0.7 {
			break
		}
		if slices.ContainsFunc(seen, func(s map[string]bool) bool { return overlap(s, p.terms) > 0.6 }) {
			continue
		}
		seen = append(seen, p.terms)
		text, stop := strings.TrimRight(p.text, ".。"), "."
		if strings.HasSuffix(p.text, "。") {
			stop = "。"
		}
		out = append(out, text+" [["+p.link+"]]"+stop)
	}
	return strings.Join(out, " ")
}

func overlap(a, b map[string]bool) float64 {
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return float64(n) / float64(max(1, min(len(a), len(b))))
}

// maxCandidates bounds how many pages are read sentence by sentence.
const maxCandidates = 100

// candidates looks for the words in the bytes of every page, which is quick, and returns the pages that hold most of what was asked,
// weighed by rarity, with the weights. A word that no page has weighs most: an answer without it is worth little.
func (a *agent) candidates(asked []string) ([]page, map[string]float64) {
	type found struct {
		page
		has   []bool
		score float64
	}
	var list []found
	df := make([]int, len(asked))
	for _, p := range a.pages {
		b, err := os.ReadFile(a.file(p.rel))
		if err != nil || len(b) > maxSource || !isText(b) {
			continue // not a page that could answer
		}
		low := bytes.ToLower(b)
		f := found{page: p, has: make([]bool, len(asked))}
		any := false
		for i, t := range asked {
			if f.has[i] = bytes.Contains(low, []byte(t)) || strings.Contains(p.slug(), t); f.has[i] {
				df[i]++
				any = true
			}
		}
		if any {
			list = append(list, f)
		}
	}
	weight := make(map[string]float64, len(asked))
	for i, t := range asked {
		weight[t] = math.Log(1 + float64(len(a.pages)+1)/float64(df[i]+1))
	}
	for i := range list {
		for k, t := range asked {
			if list[i].has[k] {
				list[i].score += weight[t]
			}
		}
	}
	slices.SortStableFunc(list, func(x, y found) int { return cmp.Compare(y.score, x.score) })
	var pages []page
	for _, f := range list[:min(len(list), maxCandidates)] {
		pages = append(pages, f.page)
	}
	return pages, weight
}

// passages reads the pages' prose. The words of a page's title belong to each of its sentences.
func (a *agent) passages(pages []page, asked []string) []passage {
	want := map[string]bool{}
	for _, t := range asked {
		want[t] = true
	}
	var list []passage
	for _, p := range pages {
		b, err := os.ReadFile(a.file(p.rel))
		if err != nil {
			continue // went away
		}
		doc := parseSource(b)
		about := wordSet(strings.Join(content(words(strings.Join(p.names(), " "))), " "))
		n := 0
		for _, par := range doc.pars {
			if par.text == strings.Trim(note, "*") || strings.Contains(par.text, " · ") {
				continue // our own note and list of terms say nothing
			}
			for _, s := range sentences(readable(par.text)) {
				n++
				own := content(words(s))
				if length(s) < 4 || strings.HasSuffix(s, "?") || !slices.ContainsFunc(own, func(t string) bool { return want[t] }) {
					continue
				}
				list = append(list, passage{text: s, link: p.link, rel: p.rel, pos: n, terms: wordSet(strings.Join(own, " ")), about: about})
			}
		}
	}
	return list
}

// readable turns wikilinks into their text: an answer cites its own page only.
func readable(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "[[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		inner, after, ok := strings.Cut(rest, "]]")
		if !ok {
			b.WriteString("[[" + rest)
			return b.String()
		}
		if _, alias, has := strings.Cut(inner, "|"); has {
			inner = alias
		}
		b.WriteString(inner)
		s = after
	}
}
