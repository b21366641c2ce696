package wiki

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/adapters/builtin"
	"github.com/rigwiki/rig/sandbox"
	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// ErrNoAnswer: the run has no answer that a page could be made of.
var ErrNoAnswer = errors.New("nothing to file")

// FileAnswer makes a proposal of a query's answer: a page in queries/, a line in index.md and an entry in log.md, in the style that the wiki has. It is
// judged as a run's changes are. An answer that cites no page that is there is [ErrNoAnswer].
func (h *Host) FileAnswer(ctx context.Context, w *Wiki, run, by string) (proposal.Record, error) {
	s, err := h.Store(w)
	if err != nil {
		return proposal.Record{}, err
	}
	asked, err := s.Load(run)
	if err != nil {
		return proposal.Record{}, err
	}
	switch {
	case asked.Op != "query" || asked.Answer == "" || asked.Question == "":
		return proposal.Record{}, fmt.Errorf("%w: run %s has no answer", ErrNoAnswer, run)
	case !slices.ContainsFunc(asked.Citations, func(c proposal.Citation) bool { return c.Path != "" }):
		return proposal.Record{}, fmt.Errorf("%w: the answer cites no page of the wiki", ErrNoAnswer)
	}
	x, err := h.Index(ctx, w)
	if err != nil {
		return proposal.Record{}, err
	}
	drafts, rel, err := filing{w: w, x: x, asked: asked, now: time.Now()}.drafts()
	if err != nil {
		return proposal.Record{}, err
	}
	return h.propose(ctx, w, proposal.Record{Op: "file", Agent: cmp.Or(asked.Agent, by), Model: asked.Model, Question: asked.Question, Title: "file the answer as " + rel}, drafts)
}

// propose makes a proposal of changes that no agent made in a sandbox. It is judged as a run's changes are. Op, Agent and Title of rec are the caller's.
func (h *Host) propose(ctx context.Context, w *Wiki, rec proposal.Record, drafts []proposal.Draft) (proposal.Record, error) {
	s, err := h.Store(w)
	if err != nil {
		return proposal.Record{}, err
	}
	cfg, _, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return proposal.Record{}, err
	}
	now := time.Now().UTC()
	rec.Run, rec.Wiki, rec.Started, rec.Confinement = proposal.NewRunID(now, rec.Op), w.Root, now, "none: no agent ran"
	r := &run{host: h, wiki: w, cfg: cfg, op: Op{Name: rec.Op, Writes: true}, store: s, rec: rec}
	r.exit.Why, r.outcome.Started, r.outcome.Ended, r.outcome.OK = sandbox.Exited, true, true, true
	for _, d := range drafts {
		r.changes.List = append(r.changes.List, changesOf(d)...)
	}
	if err := s.Create(r.rec); err != nil {
		return proposal.Record{}, err
	}
	if err := r.judge(ctx); err != nil {
		return proposal.Record{}, err
	}
	if r.op.Name == "file" {
		asOne(r.verdict.Files)
	}
	e := r.end()
	r.rec.State, r.rec.Exit, r.rec.Message, r.rec.Ended = e.State, e.Exit, e.Message, time.Now().UTC()
	if err := s.Propose(&r.rec, r.verdict.Files, refusedTexts(r.verdict)); err != nil {
		return proposal.Record{}, fmt.Errorf("store the proposal: %w", err)
	}
	return r.rec, nil
}

// asOne flags what goes with a flagged page: its line in the index without the page, or the page alone, is not what was asked for, so that a yes is for all or
// for none.
func asOne(files []proposal.Draft) {
	i := slices.IndexFunc(files, func(d proposal.Draft) bool { return len(d.Flags) > 0 })
	if i < 0 {
		return
	}
	for j := range files {
		if len(files[j].Flags) == 0 {
			files[j].Flags = []proposal.Flag{{Rule: files[i].Flags[0].Rule, Reason: "it goes with " + files[i].Path + ", which is flagged"}}
		}
	}
}

// filing is an answer on its way to a page.
type filing struct {
	w     *Wiki
	x     *index.Index
	asked proposal.Record
	now   time.Time
}

func (f filing) drafts() (drafts []proposal.Draft, rel string, err error) {
	rel, had, err := f.place()
	if err != nil {
		return nil, "", err
	}
	title, slug := oneLine(f.asked.Question), strings.TrimSuffix(path.Base(rel), ".md")
	page := f.page(had)
	if string(page) == string(had) {
		return nil, "", fmt.Errorf("%w: %s says this already", ErrNoAnswer, rel)
	}
	drafts = append(drafts, draftOf(rel, had, page))
	inner := strings.TrimPrefix(strings.TrimSuffix(rel, ".md"), f.w.Pages+"/")
	did := "created [[" + slug + "]]"
	if had != nil {
		did = "updated [[" + slug + "]]"
	}
	for _, shared := range f.w.Shared {
		text, err := readPage(f.w, shared)
		if err != nil {
			return nil, "", err
		}
		now := text
		switch path.Base(shared) {
		case "index.md":
			now = builtin.AddEntry(text, builtin.Entry{Section: "queries", Slug: slug, Rel: inner, Title: title, Text: title})
		case "log.md":
			now = builtin.AddLog(text, builtin.LogNote{Verb: "query", About: inner + ".md", Title: title, At: f.now, Did: did})
		}
		if string(now) != string(text) {
			drafts = append(drafts, draftOf(shared, text, now))
		}
	}
	return drafts, rel, nil
}

// draftOf is a page with its new text; nil before is a page that is not there.
func draftOf(rel string, before, after []byte) proposal.Draft {
	kind := proposal.Edited
	if before == nil {
		kind = proposal.Create
	}
	return proposal.Draft{File: proposal.File{Path: rel, Kind: kind}, BaseText: before, NewText: after}
}

// readPage reads a page on disk; nil is one that is not there.
func readPage(w *Wiki, rel string) ([]byte, error) {
	text, ok, err := Disk(w)(rel)
	if err != nil || !ok {
		return nil, err
	}
	return append([]byte{}, text...), nil
}

// place is the page that the answer goes to: that of the same question where there is one, else a new name.
func (f filing) place() (rel string, had []byte, err error) {
	folder := path.Join(f.w.Pages, "queries")
	if single := path.Join(f.w.Pages, "query"); !isDir(f.w.Real, folder) && isDir(f.w.Real, single) {
		folder = single
	}
	name := strings.NewReplacer("/", " ", `\`, " ", ".", " ").Replace(f.asked.Question)
	slug := Slug(name, func(slug string) bool {
		rel := path.Join(folder, slug) + ".md"
		if text, e := readPage(f.w, rel); text != nil || e != nil {
			return e != nil || index.Idea(f.titleOf(text)) != index.Idea(f.asked.Question)
		}
		_, e := os.Lstat(filepath.Join(f.w.Real, filepath.FromSlash(rel)))
		return !errors.Is(e, fs.ErrNotExist) || len(f.x.Resolve("", slug)) > 0 // a bare [[slug]] has to mean this page
	})
	rel = path.Join(folder, slug) + ".md"
	had, err = readPage(f.w, rel)
	return rel, had, err
}

func (f filing) titleOf(text []byte) string { return index.ParsePage(text).Title }

// page is the page's text: front matter, the question, the answer, who gave it.
func (f filing) page(had []byte) []byte {
	title := oneLine(f.asked.Question)
	var b strings.Builder
	f.front(&b, title, had)
	fmt.Fprintf(&b, "# %s\n\n%s\n\n*Asked on %s, answered by %s%s.*\n", escapeTitle(title), strings.TrimSpace(f.asked.Answer), f.asked.Started.Local().Format("2006-01-02"), f.asked.Agent, prefixed(", model ", f.asked.Model))
	if eol := f.lineEnd(); eol != "\n" {
		return []byte(strings.ReplaceAll(b.String(), "\n", eol))
	}
	return []byte(b.String())
}

// lineEnd is that of the index: a wiki keeps one.
func (f filing) lineEnd() string {
	for _, shared := range f.w.Shared {
		if text, err := readPage(f.w, shared); path.Base(shared) == "index.md" && err == nil && strings.Contains(string(text), "\r\n") {
			return "\r\n"
		}
	}
	return "\n"
}

var dateRE = lazyRE(`^["']?\d{4}-\d\d-\d\d`)

// front writes front matter with the keys that the wiki's pages have: type, sources and dates as they are written there, title where pages have one.
func (f filing) front(b *strings.Builder, title string, had []byte) {
	model := f.modelPage()
	old := index.ParsePage(had).Front
	today := f.now.Format("2006-01-02")
	fields := model.Fields
	if model.Format != index.YAML || !hasKey(model, "type") {
		fields = nil
		for _, key := range []string{"type", "sources", "ingested-at", "last-updated"} {
			v := ""
			if strings.Contains(key, "-") {
				v = today
			}
			fields = append(fields, index.Field{Key: key, Values: []string{v}})
		}
	} else if !hasKey(model, "sources") {
		fields = append(slices.Clone(fields), index.Field{Key: "sources"})
	}
	b.WriteString("---\n")
	for _, k := range fields {
		switch lower := strings.ToLower(k.Key); {
		case lower == "type":
			fmt.Fprintf(b, "%s: query\n", k.Key)
		case lower == "title":
			fmt.Fprintf(b, "%s: %s\n", k.Key, quoteYAML(title))
		case lower == "sources":
			fmt.Fprintf(b, "%s: [%s]\n", k.Key, strings.Join(f.sources(), ", "))
		case len(k.Values) == 1 && dateRE().MatchString(k.Values[0]):
			date := today
			if was := old.Get(k.Key); was != "" && !strings.Contains(lower, "updat") && !strings.Contains(lower, "modif") {
				date = was
			}
			fmt.Fprintf(b, "%s: %s\n", k.Key, date)
		}
	}
	b.WriteString("---\n")
}

func hasKey(fm index.FrontMatter, key string) bool {
	_, ok := fm.Field(key)
	return ok
}

// modelPage is the front matter that the page's own is made like: of a page that the answer cites, no source page where there is another.
func (f filing) modelPage() (model index.FrontMatter) {
	for _, c := range f.asked.Citations {
		p, ok := f.x.Page(c.Path)
		if !ok || p.Front.Format == "" {
			continue
		}
		if !f.isSourcePage(c.Path) {
			return p.Front
		}
		if model.Format == "" {
			model = p.Front
		}
	}
	return model
}

func (f filing) isSourcePage(rel string) bool { return below(rel, path.Join(f.w.Pages, "sources")) }

// sources are those of the pages cited, each once: what their own front matter names, of a source page itself. They are written as the first one is: a slug,
// a wikilink or a path in raw/.
func (f filing) sources() (out []string) {
	seen := map[string]bool{}
	add := func(s string) {
		if bare := bareSource(s); bare != "" && !seen[bare] {
			seen[bare] = true
			out = append(out, quoteYAML(s))
		}
	}
	var own []string // source pages cited
	for _, c := range f.asked.Citations {
		p, ok := f.x.Page(c.Path)
		switch {
		case !ok:
		case f.isSourcePage(c.Path):
			own = append(own, c.Path)
		default:
			for _, s := range p.Front.List("sources") {
				add(s)
			}
		}
	}
	form := ""
	if len(out) > 0 {
		form = strings.Trim(out[0], `"`)
	}
	for _, rel := range own {
		p, _ := f.x.Page(rel)
		raw, _ := namedSource(rel, p.Front)
		switch link := linkTo(f.x, rel); {
		case strings.HasPrefix(form, "[["):
			add("[[" + link + "]]")
		case strings.HasPrefix(form, "raw/") && raw != "":
			add(raw)
		default:
			add(link)
		}
	}
	return out
}

// bareSource is what an entry of "sources:" is known by.
func bareSource(s string) string {
	s, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "[["), "]]"), "|")
	return index.Fold(strings.TrimSuffix(s, ".md"))
}

var plainYAML = lazyRE(`^[\p{L}_/][\p{L}\p{M}\p{N}_./ -]*$`)

// quoteYAML is a text as a YAML value, in quotes where it would mean something else without.
func quoteYAML(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null":
	default:
		if plainYAML().MatchString(s) && !strings.HasSuffix(s, " ") {
			return s
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func oneLine(s string) string { return plain(strings.Join(strings.Fields(s), " "), 200) }

// escapeTitle keeps a question's characters from being markup in a heading.
func escapeTitle(s string) string {
	return strings.NewReplacer("[[", `\[\[`, "<", `\<`, "`", "\\`").Replace(s)
}
