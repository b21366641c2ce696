package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Job is what Main reads from standard input.
type Job struct {
	Op       string    `json:"op"`  // ingest, query or lint
	Cwd      string    `json:"cwd"` // absolute: the wiki as the agent sees it
	Pages    string    `json:"pages,omitempty"`
	Sources  []Source  `json:"sources,omitempty"`
	Question string    `json:"question,omitempty"`
	Found    *[]Found  `json:"found,omitempty"` // of a query: the pages to look at, best first; absent, it looks at all
	Now      time.Time `json:"now"`
}

// Found is a page that may answer the question.
type Found struct {
	Rel  string `json:"rel"`  // below Cwd
	Link string `json:"link"` // what stands between [[ and ]] to mean it
}

// Source is one file to ingest.
type Source struct {
	Rel  string `json:"rel"`            // where it lies in the wiki: "raw/x.md"
	At   string `json:"at,omitempty"`   // where the agent can read it, absolute or below Cwd; "" is Rel
	Slug string `json:"slug,omitempty"` // of its page; "" makes one
}

// Line is what Main prints, one JSON object a line.
type Line struct {
	Event  *Event  `json:"event,omitempty"`
	Result *Result `json:"result,omitempty"`
}

// Event tells of one file or step, in the words of the events schema.
type Event struct {
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
	File    string `json:"file,omitempty"`
}

// Result ends the output.
type Result struct {
	OK    bool   `json:"ok"`
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

// maxSource bounds a source that is read whole.
const maxSource = 64 << 20

// An agent is one run of a job.
type agent struct {
	job   Job
	tell  func(Event)
	pages []page // of the wiki as it was at the start, by path; see wiki()
	made  []string
}

// Main runs the job on in and returns the exit status: 0 where the result says ok.
func Main(in io.Reader, out io.Writer) int {
	enc := json.NewEncoder(out)
	a := &agent{tell: func(e Event) { _ = enc.Encode(Line{Event: &e}) }} // a host that went away is noticed at the result
	text, err := a.run(in)
	res := Result{OK: err == nil, Text: text}
	if err != nil {
		res.Error = err.Error()
	}
	if enc.Encode(Line{Result: &res}) != nil || err != nil {
		return 1
	}
	return 0
}

func (a *agent) run(in io.Reader) (string, error) {
	dec := json.NewDecoder(in)
	if err := dec.Decode(&a.job); err != nil {
		return "", fmt.Errorf("read the job: %w", err)
	}
	if a.job.Cwd == "" {
		return "", errors.New("the job names no folder")
	}
	verb, ok := verbs[a.job.Op]
	if !ok {
		return "", fmt.Errorf("the built-in agent cannot do %s: it has no model", a.job.Op)
	}
	read := a.readWiki
	if a.job.Op == "query" && a.job.Found != nil {
		read = a.readFound
	}
	if err := read(); err != nil {
		return "", err
	}
	return verb(a)
}

// verbs are the operations that work without a model.
var verbs = map[string]func(*agent) (string, error){
	"ingest": (*agent).ingestAll,
	"query":  (*agent).query,
	"lint":   (*agent).lint,
}

// Can tells whether there is a verb for an operation.
func Can(op string) bool {
	_, ok := verbs[op]
	return ok
}

// lint has nothing to add: what can be checked without a model, the host's own lint checks.
func (a *agent) lint() (string, error) {
	return "Nothing to report: the built-in agent has no model, and what can be checked without one is in the host's own lint.", nil
}

// ingestAll ingests each source of the job and ends with a marker line for each.
func (a *agent) ingestAll() (string, error) {
	if len(a.job.Sources) == 0 {
		return "", errors.New("the job names no source")
	}
	var said, done []string
	for _, s := range a.job.Sources {
		slug, summary, err := a.ingest(s)
		if err != nil {
			return "", fmt.Errorf("ingest %s: %w", s.Rel, err)
		}
		said, done = append(said, summary), append(done, "INGEST DONE: "+slug)
	}
	return strings.Join(append(said, done...), "\n"), nil
}
