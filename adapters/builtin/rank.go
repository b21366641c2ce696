package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence of a source with its weight.
type sentence struct {
	text   string
	pos    int // in the source
	terms  []string
	vec    []weighted // unit length, by term id
	prior  float64
	score  float64
	length int
	opens  float64 // how well it fits at the beginning of a page; 0 where it does not
}

type weighted struct {
	id int
	w  float64
}

// maxSentences bounds the quadratic part; a longer source is judged by its beginning.
const maxSentences = 3000

// leadRE names the sections in which authors say themselves what matters.
var leadRE = lazyRE(`(?i)^(abstract|summary|overview|introduction|tl;?dr|proposal|conclusions?|design|rationale|要約|概要|摘要|はじめに|结论|まとめ)`)

// rank scores the sentences of a document: LexRank over tf-idf cosines, biased towards the title's words and the sections that sum up.
func rank(doc document) []sentence {
	list := collect(doc)
	vectors(list)
	about := wordSet(strings.Join(content(words(doc.title)), " "))
	for i := range list {
		list[i].prior *= 1 + 2*share(list[i].terms, about)
		if list[i].opens > 0 && defines(list[i].text, doc.title) {
			list[i].opens += 3
		}
	}
	sim := similarities(list)
	score := make([]float64, len(list))
	total := 0.0
	for i := range list {
		total += list[i].prior
	}
	for i := range list {
		score[i] = list[i].prior / total
	}
	const damping = 0.85
	for range 50 {
		next := make([]float64, len(list))
		for i := range list {
			next[i] = (1 - damping) * list[i].prior / total
		}
		for i, row := range sim {
			for _, e := range row {
				next[e.id] += damping * score[i] * e.w
			}
		}
		moved := 0.0
		for i := range next {
			moved += math.Abs(next[i] - score[i])
		}
		score = next
		if moved < 1e-6 {
			break
		}
	}
	for i := range list {
		list[i].score = score[i]
	}
	return list
}

// collect takes the sentences that can stand alone.
func collect(doc document) []sentence {
	var list []sentence
	for k, p := range doc.pars {
		for _, s := range sentences(p.text) {
			n := length(s)
			if n < 6 || n > 55 || strings.HasSuffix(s, ":") || strings.HasSuffix(s, "?") || !stands(s) || p.item && !whole(s) {
				continue
			}
			terms := content(words(s))
			if len(terms) < 3 {
				continue
			}
			list = append(list, weighed(sentence{text: s, pos: len(list), terms: terms, prior: 1, length: n}, p, k))
			if len(list) == maxSentences {
				return list
			}
		}
	}
	return list
}

// weighed sets what the place of a sentence (the k-th paragraph) says about it.
func weighed(s sentence, p paragraph, k int) sentence {
	summing := leadRE().MatchString(p.section)
	if summing {
		s.prior = 3
	}
	if k < 4 {
		s.prior *= 1.5
	}
	if p.item {
		s.prior *= 0.5
		return s
	}
	if summing || k < 8 {
		s.opens = 1
	}
	if selfRE().MatchString(s.text) {
		s.opens += 1 + s.opens
	}
	return s
}

// defines tells sentences such as "A kettle is …" on a page called "Kettles".
func defines(s, title string) bool {
	toks, name := tokens(s), tokens(title)
	if len(toks) > 0 && (toks[0].word == "a" || toks[0].word == "an" || toks[0].word == "the") {
		toks = toks[1:]
	}
	if len(name) == 0 || len(toks) <= len(name) || keyOf(toks[:len(name)]) != keyOf(name) {
		return false
	}
	verb := toks[len(name)].word
	return verb == "is" || verb == "are" || verb == "は"
}

var (
	danglingRE = lazyRE(`(?i)^(this|these|that|those|it|they|he|she|we|such|but|and|or|so|also|thus|then|however|for example|for instance|in particular|in this|instead|similarly|again|finally|first|second|third|note|here|there|as (above|before)|see|let|another|both|otherwise|hence|therefore|moreover|furthermore|besides|indeed|based on (this|that|these|those)|additionally|meanwhile|our first)\b`)
	selfRE     = lazyRE(`(?i)^(this|the) (proposal|draft|document|design|paper|article|page|report|guide|specification|change|post|chapter|book)\b`)
	linkRE     = lazyRE(`https?://|\]\(`)
	verbRE     = lazyRE(`(?i)\b(is|are|was|were|has|have|had|can|cannot|could|will|would|must|may|might|should|does|do|did|becomes?|remains?)\b`)
)

// stands tells sentences that mean something without the one before: none that begins with a pronoun or a connective, no links, no holes,
// whole.
func stands(s string) bool {
	if danglingRE().MatchString(s) && !selfRE().MatchString(s) || linkRE().MatchString(s) || strings.ContainsRune(s, hole) {
		return false
	}
	if strings.Count(s, "(") != strings.Count(s, ")") || strings.Count(s, "“") != strings.Count(s, "”") || strings.Count(s, "`")%2 != 0 || strings.Count(s, `"`)%2 != 0 {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsLower(first) || strings.ContainsRune("([{*-", first) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `)"'”’」』*_`+"`"))
	return strings.ContainsRune(".!。！", last)
}

// whole tells list items that are sentences from those that are headings of a kind.
func whole(s string) bool {
	return verbRE().MatchString(s) || strings.ContainsFunc(s, isCJK)
}

// vectors gives each sentence its tf-idf vector of unit length, terms in the order in which they first come.
func vectors(list []sentence) {
	ids, df := map[string]int{}, []int{}
	for _, s := range list {
		seen := map[string]bool{}
		for _, t := range s.terms {
			if seen[t] {
				continue
			}
			seen[t] = true
			if _, known := ids[t]; !known {
				ids[t] = len(df)
				df = append(df, 0)
			}
			df[ids[t]]++
		}
	}
	for i := range list {
		tf := map[int]int{}
		var order []int
		for _, t := range list[i].terms {
			if tf[ids[t]] == 0 {
				order = append(order, ids[t])
			}
			tf[ids[t]]++
		}
		slices.Sort(order) // sums of floats must come in one order
		norm := 0.0
		vec := make([]weighted, 0, len(order))
		for _, id := range order {
			w := float64(tf[id]) * math.Log(1+float64(len(list))/float64(df[id]))
			vec, norm = append(vec, weighted{id, w}), norm+w*w
		}
		for k := range vec {
			vec[k].w /= math.Sqrt(norm)
		}
		list[i].vec = vec
	}
}

// similarities is the row-normalized graph: cosines above LexRank's threshold of 0.1.
func similarities(list []sentence) [][]weighted {
	postings := map[int][]weighted{}
	for i, s := range list {
		for _, t := range s.vec {
			postings[t.id] = append(postings[t.id], weighted{i, t.w})
		}
	}
	rows := make([][]weighted, len(list))
	acc := make([]float64, len(list))
	for i, s := range list {
		for _, t := range s.vec {
			for _, p := range postings[t.id] {
				acc[p.id] += t.w * p.w
			}
		}
		sum := 0.0
		for j, w := range acc {
			if j != i && w > 0.1 {
				rows[i] = append(rows[i], weighted{j, w})
				sum += w
			}
			acc[j] = 0
		}
		for k := range rows[i] {
			rows[i][k].w /= sum
		}
	}
	return rows
}

func cosine(a, b []weighted) float64 {
	sum, j := 0.0, 0
	for _, x := range a {
		for j < len(b) && b[j].id < x.id {
			j++
		}
		if j < len(b) && b[j].id == x.id {
			sum += x.w * b[j].w
		}
	}
	return sum
}

// share is the part of terms that is in a set.
func share(terms []string, set map[string]bool) float64 {
	if len(terms) == 0 {
		return 0
	}
	n := 0
	for _, t := range terms {
		if set[t] {
			n++
		}
	}
	return float64(n) / float64(len(terms))
}

// sameThing is the cosine from which two sentences say the same.
const sameThing = 0.45

// pick takes the best sentences within a budget of words, none that says what another said, in the order of the source.
func pick(list []sentence, most, budget int) []sentence {
	rest := slices.Clone(list)
	slices.SortStableFunc(rest, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	var out []sentence
	for _, s := range rest {
		if len(out) == most {
			break
		}
		if s.length > budget || slices.ContainsFunc(out, func(o sentence) bool { return cosine(o.vec, s.vec) > sameThing }) {
			continue
		}
		out, budget = append(out, s), budget-s.length
	}
	slices.SortFunc(out, func(a, b sentence) int { return cmp.Compare(a.pos, b.pos) })
	return out
}

// opening picks up to two sentences to begin with: from where authors sum up, else the best there are.
func opening(list []sentence, budget int) []sentence {
	var fit []sentence
	for _, s := range list {
		if s.opens > 0 {
			s.score += s.opens // scores add up to one: the place comes first, the rank among equals
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		fit = list
	}
	return pick(fit, 2, budget)
}
