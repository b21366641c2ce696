package builtin

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The page has at most 400 words (as schemas ask); what stands around the sentences needs about a quarter of them.
const (
	leadWords  = 90
	pointWords = 170
	maxLinks   = 8
	maxTerms   = 8
)

// body is a page below its front matter.
func (a *agent) body(w writing) string {
	return "# " + escape(w.doc.title) + "\n\n" + a.extract(w)
}

// extract is what the agent has to say about a source: a lead, points, terms, links.
func (a *agent) extract(w writing) string {
	linked := map[string]bool{}
	var b strings.Builder
	lead := opening(w.ranked, leadWords)
	var texts []string
	for _, s := range lead {
		texts = append(texts, w.match.prose(s.text, linked))
	}
	if len(texts) > 0 {
		b.WriteString(joined(texts) + "\n\n")
	}
	b.WriteString(note + "\n")
	for i, s := range pick(differing(w.ranked, lead), 7, pointWords) {
		if i == 0 {
			b.WriteString("\n## Key points\n\n")
		}
		b.WriteString("- " + w.match.prose(s.text, linked) + "\n")
	}
	if list := keyTerms(w); len(list) > 0 {
		b.WriteString("\n## Key terms\n\n" + strings.Join(list, " · ") + "\n")
	}
	b.WriteString("\n## Related\n\n" + strings.Join(a.relatedLines(w), "\n") + "\n")
	return b.String()
}

// joined puts sentences together: with a blank, except after a CJK stop.
func joined(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		if i > 0 && !strings.HasSuffix(texts[i-1], "。") {
			b.WriteByte(' ')
		}
		b.WriteString(t)
	}
	return b.String()
}

// differing leaves out what the lead has said.
func differing(list, lead []sentence) []sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s sentence) bool {
		return slices.ContainsFunc(lead, func(l sentence) bool { return cosine(l.vec, s.vec) > sameThing })
	})
}

// keyTerms are the weightiest phrases, none inside another; single words only where phrases are few.
func keyTerms(w writing) []string {
	var picked []term
	for _, phrase := range []bool{true, false} {
		for _, t := range w.terms {
			if len(picked) == maxTerms || !phrase && len(picked) >= maxTerms/2 {
				break
			}
			nested := slices.ContainsFunc(picked, func(p term) bool {
				return strings.Contains(" "+p.key+" ", " "+t.key+" ") || strings.Contains(" "+t.key+" ", " "+p.key+" ")
			})
			if (t.words > 1) == phrase && !nested {
				picked = append(picked, t)
			}
		}
	}
	list := make([]string, len(picked))
	for i, t := range picked {
		list[i] = escape(t.text)
	}
	return list
}

// relatedLines links every page that the source mentions, or where there is none the page that leads to all.
func (a *agent) relatedLines(w writing) []string {
	var lines []string
	if w.stub != nil {
		lines = append(lines, "- [["+w.stub.slug+"]]")
	}
	for _, r := range w.related {
		if len(lines) == maxLinks {
			break
		}
		lines = append(lines, "- [["+r.name+"]]")
	}
	if len(lines) > 0 {
		return lines
	}
	for _, name := range []string{"overview", "index"} {
		if a.exists(path.Join(a.job.Pages, name+".md")) {
			return []string{"- [[" + name + "]]"}
		}
	}
	return []string{"- [[index]]"}
}

// A stub is a concept page for the one term that a source is about.
type stub struct {
	rel, slug, text, title string
}

// stub makes a concept page where all of this holds: the term is a phrase, it stands in the title or in two headings, it is among the
// three weightiest, it comes at least eight times, no page is called so, and the source has a sentence that says what it is.
func (a *agent) stub(w *writing) (stub, bool) {
	for i, t := range w.terms {
		if i == 3 {
			break
		}
		if t.words < 2 || t.n < 8 || !a.isNew(w, t) || !headed(w.doc, t) {
			continue
		}
		def, ok := definition(w.doc, t)
		if !ok {
			continue
		}
		s := stub{slug: slugOf(t.text), title: upperFirst(t.text)}
		s.rel = path.Join(a.job.Pages, a.folder("concepts"), s.slug+".md")
		f := front{}
		if a.titled() {
			f.set("title", s.title)
		}
		f.set("type", "concept")
		f.set("sources", "["+w.slug+"]")
		f.set("ingested-at", w.date)
		f.set("last-updated", w.date)
		s.text = f.String() + "# " + escape(s.title) + "\n\n" + w.match.prose(def, map[string]bool{}) + " See [[" + w.slug + "]].\n\n" + note + "\n"
		return s, true
	}
	return stub{}, false
}

// folder is where pages of a kind lie: the usual name, or the singular where the wiki has that.
func (a *agent) folder(name string) string {
	if single := strings.TrimSuffix(name, "s"); !a.exists(path.Join(a.job.Pages, name)) && a.exists(path.Join(a.job.Pages, single)) {
		return single
	}
	return name
}

func (a *agent) isNew(w *writing, t term) bool {
	slug := slugOf(t.text)
	if slug == w.slug || a.taken(slug) || a.taken(slugOf(t.key)) || strings.EqualFold(t.text, w.doc.title) {
		return false
	}
	_, known := w.match.targets[keyOf(tokens(t.text))]
	return !known
}

func headed(doc document, t term) bool {
	want := keyOf(tokens(t.text))
	in := func(s string) bool { return strings.Contains(" "+keyOf(tokens(s))+" ", " "+want+" ") }
	n := 0
	for _, h := range doc.headings {
		if in(h) {
			n++
		}
	}
	return in(doc.title) || n >= 2
}

// definition is a sentence of the source that begins with the term and says what it is.
func definition(doc document, t term) (string, bool) {
	re, err := regexp.Compile(`(?i)^(a |an |the )?` + regexp.QuoteMeta(t.text) + `s? (is|are|means|refers to|denotes) (a|an|the|any|one|that|how|what|\w+ (of|that|which))\b`)
	if err != nil {
		return "", false
	}
	for _, p := range doc.pars {
		for _, s := range sentences(p.text) {
			if re.MatchString(s) && length(s) >= 7 && length(s) <= 45 && stands(s) {
				return s, true
			}
		}
	}
	return "", false
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
