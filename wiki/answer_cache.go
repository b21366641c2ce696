package wiki

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rigwiki/rig/wiki/index"
	"github.com/rigwiki/rig/wiki/proposal"
)

// keptAnswer is an answer in $RIG_HOME/cache/answers/<wiki>/.
type keptAnswer struct {
	Question string            `json:"question"`
	Agent    string            `json:"agent"`
	Asked    string            `json:"asked,omitempty"` // model that was asked for, "" for the agent's own
	Model    string            `json:"model,omitempty"` // model that answered
	At       time.Time         `json:"at"`
	Run      string            `json:"run"`
	Text     string            `json:"text"`  // as the agent gave it
	Pages    map[string]string `json:"pages"` // path -> sha256 of each page that the agent was shown or that it cites
}

// maxKept bounds the answers of a wiki; the oldest go.
const maxKept = 500

// leading is how many of the best passages' pages must have been there when the answer was made. Further down the order changes with every page.
const leading = 3

func (h *Host) answerDir(w *Wiki) string { return filepath.Join(h.rigHome, "cache", "answers", w.ID) }

// answerFile names the file of a question, by what does not change its meaning: case, blanks, a mark at its end.
func (h *Host) answerFile(w *Wiki, question, agent, model string) string {
	folded := strings.TrimRight(strings.Join(strings.Fields(index.Fold(question)), " "), " ?？.!。")
	sum := sha256.Sum256([]byte(strings.Join([]string{folded, agent, model}, "\x00")))
	return filepath.Join(h.answerDir(w), hex.EncodeToString(sum[:16])+".json")
}

func (h *Host) keepAnswer(w *Wiki, k keptAnswer) error {
	text, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	if err := replaceFile(h.answerFile(w, k.Question, k.Agent, k.Asked), text); err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	return pruneAnswers(h.answerDir(w))
}

// pruneAnswers drops the oldest answers above maxKept. Another process may do the same: a file that is gone is no error.
func pruneAnswers(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil || len(files) <= maxKept {
		return err
	}
	age := func(d os.DirEntry) int64 {
		fi, err := d.Info()
		if err != nil {
			return 0
		}
		return fi.ModTime().UnixNano()
	}
	slices.SortFunc(files, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, f := range files[:len(files)-maxKept] {
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("drop an old answer: %w", err)
		}
	}
	return nil
}

// keptFor reads the kept answer to a question. One that cannot be read counts as none: it is made anew.
func (h *Host) keptFor(w *Wiki, question, agent, model string) (k keptAnswer, ok bool) {
	text, err := os.ReadFile(h.answerFile(w, question, agent, model))
	if err != nil || json.Unmarshal(text, &k) != nil || k.Text == "" {
		return keptAnswer{}, false
	}
	return k, true
}

// moved says why a kept answer does not count any more, as a clause; "" where every page that it was made from is as it was.
func (k keptAnswer) moved(sum func(rel string) string, now []passage) string {
	var changed []string
	for _, rel := range sortedKeys(k.Pages) {
		if sum(rel) != k.Pages[rel] {
			changed = append(changed, rel)
		}
	}
	if len(changed) > 0 {
		return some(changed) + " changed"
	}
	for _, p := range now[:min(leading, len(now))] {
		if _, known := k.Pages[p.rel]; !known {
			return p.rel + " may say more"
		}
	}
	return ""
}

// mayKeep tells whether the answer depends on the question and the wiki alone.
func (r *run) mayKeep() bool { return r.used != nil && r.job.Note == "" && len(r.job.With) == 0 }

// recall is what comes before a query's first step: an answer that is kept and still holds is given at once, whoever holds the wiki.
func (r *run) recall(ctx context.Context) error {
	if r.op.Name != "query" || r.job.Again || r.job.Note != "" || len(r.job.With) > 0 {
		return nil
	}
	var err error
	if r.cfg, _, err = LoadConfig(r.host.rigHome, r.wiki, r.job.Settings); err != nil {
		return nil // the next step says so
	}
	kept, ok := r.keptAnswer(ctx)
	if !ok {
		return nil
	}
	x, err := r.host.Index(ctx, r.wiki)
	if err != nil {
		return nil // the pages cannot be compared: asked anew
	}
	at := kept.At.Local().Format("2006-01-02 15:04")
	if why := kept.moved(func(rel string) string { return r.pageSum(x, rel) }, passagesFor(r.wiki, x, r.job.Question)); why != "" {
		r.rec.Warnings = append(r.rec.Warnings, "the answer of "+at+" is out of date: "+why+"; asked anew")
		return nil
	}
	r.rec.Agent, r.rec.Model, r.rec.Cached, r.rec.Confinement = kept.Agent, kept.Model, kept.At, "none: no agent ran"
	if r.store, err = r.host.Store(r.wiki); err != nil {
		return err
	}
	if err := r.noteStart(ctx); err != nil {
		return err
	}
	r.takeAnswer(checkAnswer(x, kept.Text))
	return &ending{State: proposal.Done, Exit: ExitOK, Message: fmt.Sprintf("%s (cached: answered by %s on %s, no page it was made from has changed; --again asks anew)", r.answered(), kept.Agent, at)}
}

// keptAnswer finds the answer of the agent that would be asked. The configured one needs no look at whether it can run.
func (r *run) keptAnswer(ctx context.Context) (keptAnswer, bool) {
	name := cmp.Or(r.job.Agent, r.cfg.AgentFor(r.op.Name))
	if k, ok := r.host.keptFor(r.wiki, r.job.Question, name, cmp.Or(r.job.Model, r.cfg.ModelFor(name, r.op.Name))); ok {
		return k, true
	}
	if len(r.host.keptAnswers(r.wiki)) == 0 || r.chooseAgent(ctx) != nil || r.rec.Agent == name {
		return keptAnswer{}, false
	}
	return r.host.keptFor(r.wiki, r.job.Question, r.rec.Agent, r.model)
}

func (h *Host) keptAnswers(w *Wiki) []os.DirEntry {
	files, _ := os.ReadDir(h.answerDir(w)) // none kept yet, or not to be read: none
	return files
}

// Answer is an answer that was given before.
type Answer struct {
	Run, Agent, Model, Text string
	Citations               []proposal.Citation
	At                      time.Time
	Moved                   string // why it is out of date, "" where it is not
}

// Answered gives the answer that the configured agent gave to a question, for a hover: no agent is asked or looked for.
func (h *Host) Answered(ctx context.Context, w *Wiki, question string) (Answer, bool) {
	cfg, _, err := LoadConfig(h.rigHome, w, nil)
	if err != nil {
		return Answer{}, false
	}
	name := cfg.AgentFor("query")
	k, ok := h.keptFor(w, question, name, cfg.ModelFor(name, "query"))
	if !ok {
		k, ok = h.keptFor(w, question, "builtin", cfg.ModelFor("builtin", "query"))
	}
	if !ok {
		return Answer{}, false
	}
	x, err := h.Index(ctx, w)
	if err != nil {
		return Answer{}, false
	}
	c := checkAnswer(x, k.Text)
	sum := func(rel string) string {
		text, ok := x.Source(rel)
		if !ok {
			return ""
		}
		return hashOf(text)
	}
	return Answer{Run: k.Run, Agent: k.Agent, Model: k.Model, Text: c.text, Citations: c.citations, At: k.At, Moved: k.moved(sum, passagesFor(w, x, question))}, true
}
