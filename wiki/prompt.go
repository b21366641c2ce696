package wiki

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"
)

//go:embed prompts/*.md
var prompts embed.FS

// promptDir is where a wiki keeps its own prompts: <op>.md stands for ours, <op>.extra.md is added to whichever counts. They are templates over
// the same data. They count only in a folder that the user trusted (design, section 8); what the executor may do (system.md) is never theirs to say.
const promptDir = ".rig/prompts"

// maxPrompt bounds one file of promptDir, in bytes.
const maxPrompt = 512 << 10

// promptData is what the templates in prompts/ may name. Paths are as the agent sees them.
type promptData struct {
	Op, Name, Cwd, Date string
	Schema, Purpose     string // "" where there is none
	Human               string // "raw/, purpose.md and schema.md"
	Writes              bool
	Sources             []promptSource
	With                []string
	Question, Note, URL string
	Passages            string // query: what the wiki's search found, "" for nothing
	Rules               string // ingestRules of the config: a text, or a path as the agent sees it
}

type promptSource struct{ Shown, Path, SHA string }

// render fills the template prompts/<name>.md.
func render(name string, d any) (string, error) {
	text, err := fs.ReadFile(prompts, "prompts/"+name+".md")
	if err != nil {
		return "", fmt.Errorf("prompt for %s: %w", name, err)
	}
	return fill("prompt for "+name, string(text), d)
}

func fill(what, text string, d any) (string, error) {
	t, err := template.New("prompt").Funcs(template.FuncMap{"code": code, "fence": fence}).Parse(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return b.String(), nil
}

// renderOp fills the prompt of an operation, the wiki's own where it has one and is trusted. ignored names the files that do not count. It is
// the wiki that the job names: a fetching agent works in another folder.
func (r *run) renderOp(d any) (prompt string, ignored []string, err error) {
	own, err := ownPrompts(r.job.Wiki, r.op)
	if err != nil {
		return "", nil, err
	}
	if len(own) > 0 && !Trusted(r.host.rigHome, r.job.Wiki.Real) {
		for _, o := range own {
			ignored = append(ignored, o.rel)
		}
		own = nil
	}
	if len(own) == 0 || own[0].extra {
		if prompt, err = render(r.op.Name, d); err != nil {
			return "", nil, err
		}
	}
	for _, o := range own {
		text, err := fill(o.rel, o.text, d)
		if err != nil {
			return "", nil, &ending{State: "failed", Exit: ExitConfig, Message: "the wiki's own prompt cannot be used: " + err.Error(), Hint: "mend the file and run again"}
		}
		if prompt != "" {
			prompt = strings.TrimRight(prompt, "\n") + "\n\n"
		}
		prompt += text
	}
	return prompt, ignored, nil
}

// An ownPrompt is a file of promptDir.
type ownPrompt struct {
	rel, text string
	extra     bool
}

// promptFiles are where the prompts of an operation may stand, replacements first.
func promptFiles(op Op) []ownPrompt {
	files := []ownPrompt{{rel: promptDir + "/" + op.Name + ".md"}, {rel: promptDir + "/" + op.Name + ".extra.md", extra: true}}
	if op.Task {
		files = append([]ownPrompt{{rel: localPromptDir + "/" + op.Name + ".md"}}, files...)
	}
	return files
}

// ownPrompts reads what a wiki has for an operation: the replacement first.
func ownPrompts(w *Wiki, op Op) ([]ownPrompt, error) {
	var out []ownPrompt
	for _, o := range promptFiles(op) {
		if !o.extra && len(out) > 0 {
			continue // the first replacement counts
		}
		path := filepath.Join(w.Real, filepath.FromSlash(o.rel))
		fi, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() {
			continue
		}
		if err == nil && fi.Size() > maxPrompt {
			err = fmt.Errorf("%s is longer than %d bytes", o.rel, maxPrompt)
		}
		if err != nil {
			return nil, fmt.Errorf("read the wiki's own prompt: %w", err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the wiki's own prompt: %w", err)
		}
		o.text = string(text)
		out = append(out, o)
	}
	return out, nil
}

// code shows a name so that it can be copied and cannot speak: as it is where it is one word, between backquotes where it has spaces, and as a
// quoted string where it holds a backquote or characters that are not seen. File names come from others too.
func code(name string) string {
	switch {
	case strings.ContainsFunc(name, func(c rune) bool { return c == '`' || !unicode.IsPrint(c) }):
		return strconv.QuoteToGraphic(name)
	case strings.Contains(name, " "):
		return "`" + name + "`"
	}
	return name
}

// fence puts a text between two lines that it does not hold.
func fence(text string) string {
	line := "~~~"
	for strings.Contains(text, line) {
		line += "~"
	}
	return line + "\n" + strings.TrimRight(text, "\n") + "\n" + line
}

// sentence joins names as a person would: "a, b and c".
func sentence(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// rules are the wiki's own rules for an ingest (config ingestRules): a text, or where to read the file of the wiki that it names.
func (r *run) rules(cwd string) string {
	text := r.cfg.IngestRules
	if text == "" || strings.ContainsAny(text, "\n") || !filepath.IsLocal(filepath.FromSlash(text)) {
		return text
	}
	real, err := filepath.EvalSymlinks(filepath.Join(r.wiki.Real, filepath.FromSlash(text)))
	if err != nil || !within(real, r.wiki.Real) {
		return text // no file of the wiki: a text
	}
	if shown := r.give(real); shown != "" {
		return "Read " + filepath.ToSlash(filepath.Join(cwd, shown)) + " and follow it."
	}
	return text
}

// warnPrompts says which prompts of the wiki did not count, once a run.
func (r *run) warnPrompts(ignored []string) {
	if len(ignored) == 0 {
		return
	}
	warning := sentence(ignored) + " did not count: the folder is not trusted (`rig wiki trust " + r.job.Wiki.Root + "`)"
	if !slices.Contains(r.rec.Warnings, warning) {
		r.rec.Warnings = append(r.rec.Warnings, warning)
	}
}
