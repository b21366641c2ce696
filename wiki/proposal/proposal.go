package proposal

import "time"

// State is where a run stands, in the words of the contract (design section 5).
type State string

// The states.
const (
	Queued     State = "queued"
	Running    State = "running"
	Done       State = "done"
	Proposed   State = "proposed"
	Applied    State = "applied"
	Partly     State = "partly"
	Discarded  State = "discarded"
	Failed     State = "failed"
	Empty      State = "empty"
	Incomplete State = "incomplete"
	Cancelled  State = "cancelled"
	TimedOut   State = "timed-out"
)

// Record is run.json: all that is known of one run. Times are UTC. Unknown fields of a newer version are kept.
type Record struct {
	Run         string     `json:"run"`
	Wiki        string     `json:"wiki"` // absolute root, as the user opened it
	Op          string     `json:"op"`
	Agent       string     `json:"agent"`
	Model       string     `json:"model,omitempty"`
	State       State      `json:"state"`
	Message     string     `json:"message"` // one sentence that counts, or the reason
	Hint        string     `json:"hint,omitempty"`
	Title       string     `json:"title"` // "ingest raw/draft-embed.md"
	Sources     []string   `json:"sources,omitempty"`
	SourceSHA   []string   `json:"sourceSHA,omitempty"` // sha256 of Sources when the run started
	Note        string     `json:"note,omitempty"`
	Revises     string     `json:"revises,omitempty"`
	Stack       []string   `json:"stack,omitempty"` // runs whose proposals waited and were taken as made when this one began, in their order
	Started     time.Time  `json:"started"`
	Ended       time.Time  `json:"ended,omitzero"`
	Exit        int        `json:"exitCode"` // of the verb, as the contract's table says
	AgentExit   int        `json:"agentExit"`
	Confinement string     `json:"confinement"`
	Files       []File     `json:"files"`
	Refused     []Refusal  `json:"refused"`
	Question    string     `json:"question,omitempty"` // of a query, whole
	Answer      string     `json:"answer,omitempty"`   // as it is shown: what is wrong with a citation stands behind it
	Citations   []Citation `json:"citations,omitempty"`
	Cached      time.Time  `json:"cached,omitzero"` // when the answer was given first, where no agent was asked
	Fetched     *Fetched   `json:"fetched,omitempty"`
	Findings    []Finding  `json:"findings,omitempty"`
	Markers     []string   `json:"markers,omitempty"`
	Warnings    []string   `json:"warnings,omitempty"`
	Session     string     `json:"session,omitempty"`
	Branch      string     `json:"branch,omitempty"`  // a task: where its commits are: "task/x", or a full ref
	Base        string     `json:"base,omitempty"`    // the commit that Files are told against
	Tip         string     `json:"tip,omitempty"`     // the commit that the run left the branch at
	Was         string     `json:"was,omitempty"`     // the commit that it was at before, "" where it was not there
	Commits     int        `json:"commits,omitempty"` // made by the run
	Outside     []string   `json:"outside,omitempty"` // a task: what git and gh did outside of the sandbox, in order; what they were denied is among Warnings
	Usage       any        `json:"usage,omitempty"`
	Undone      time.Time  `json:"undone,omitzero"` // when the run was taken back whole
}

// Fetched is the source that a fetch has made, or found to be there already.
type Fetched struct {
	Path        string `json:"path"` // relative to the wiki, "" where nothing was kept
	URL         string `json:"url"`  // the final address
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	SHA         string `json:"sha"` // of the text, or of the bytes where they are kept as they are
}

// File is one kept change. Base and New are hex sha256 of texts in the store, "" where there is none.
type File struct {
	Path    string     `json:"path"` // relative to the wiki
	Kind    string     `json:"kind"` // create edit rename delete
	From    string     `json:"from,omitempty"`
	Base    string     `json:"base,omitempty"`
	New     string     `json:"new,omitempty"`
	Added   int        `json:"added"`
	Removed int        `json:"removed"`
	Flags   []Flag     `json:"flags,omitempty"`
	Buffer  bool       `json:"buffer,omitempty"` // Base was an editor's unsaved text
	Shared  bool       `json:"shared,omitempty"` // index, log, overview, reviews: merged by union where both only added
	Hunks   int        `json:"hunks,omitempty"`  // how many hunks Base -> New has; Store.Propose counts them
	Decided []Decision `json:"decided,omitempty"`
	On      []Below    `json:"on,omitempty"` // what it stands on of the proposals in Record.Stack
}

// Below is a page of another proposal that a change was made on top of: the same page, or one that its text links to and that is not there yet.
type Below struct {
	Run  string `json:"run"`
	Path string `json:"path"` // in that proposal
}

// Citation is a page that an answer names, looked up.
type Citation struct {
	Slug string `json:"slug"` // as it stands between the brackets, without alias
	Path string `json:"path"` // of the page, "" where there is none
	OK   bool   `json:"ok"`
	Why  string `json:"why,omitempty"` // why not, or why it could not be judged
}

// Finding is something wrong in a page, in lint's words.
type Finding struct {
	Path     string `json:"path"`
	Line     int    `json:"line"` // from 1
	Code     string `json:"code"`
	Severity string `json:"severity"` // error warning hint
	Message  string `json:"message"`
}

// Flag is a reason why a kept change needs an explicit yes.
type Flag struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Refusal is a change that policy dropped.
type Refusal struct {
	Path   string `json:"path"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Decision is what was decided about one hunk, or about the whole file where Hunk is "". The last one about a hunk counts.
type Decision struct {
	Hunk   string    `json:"hunk,omitempty"`
	Accept bool      `json:"accept"`
	Reason string    `json:"reason,omitempty"`
	By     string    `json:"by"` // editor, cli, daemon
	At     time.Time `json:"at"`
}

// Draft is a file with its texts, as policy hands it over.
type Draft struct {
	File
	BaseText, NewText []byte // nil where there is none
}

// Selection names what a decision is about. Without paths and hunks: everything that waits.
type Selection struct {
	Paths   []string // all that waits of these pages
	Hunks   []string // hunk ids as Store.Show gives them; one that was rejected may be taken after all
	Flagged bool     // an explicit yes: flagged pages are meant too where neither paths nor hunks are given
	Ahead   bool     // for Plan: the current texts are those that the proposals below would leave, so that these need not be decided
	// Resolve says by path what is taken of a page in conflict: a decision made in sight of both sides. Keeping one's own is a Discard.
	Resolve map[string]Choice
}

// Choice is what is taken where both sides changed the same lines.
type Choice string

// The choices. Both keeps the user's lines and puts the agent's behind them; it settles no conflict about a whole page.
const (
	TakeAgents Choice = "agent"
	TakeBoth   Choice = "both"
)

// RefusedText is a change that policy dropped, with its texts where it has some (a link has none).
type RefusedText struct {
	Refusal
	From              string
	BaseText, NewText []byte // nil where there is none
}

// Current tells a page's text now: an editor's buffer, else the disk. ok is false where there is no such page.
type Current func(path string) (text []byte, ok bool, err error)

// Plan is the exact effect of a selection on the current texts. It is valid in the process that made it, once.
type Plan struct {
	Run       string
	Files     []Planned  // renames first, then creates, edits, deletes; deletes that make room come first
	Settled   []Planned  // nothing to write: the page is already as it would be made. Apply and Note record the decision all the same
	Conflicts []Conflict // nothing of these files is in Files
	Unflagged []string   // flagged paths that were left out, since the selection did not name them (no explicit yes)
	Folders   []string   // folders that have to be made, outer ones first
	Undo      bool       // plan of an undo
	empties   []string   // undo: folders that the run had made, to remove where they are left empty; for the others see emptied
	choices   map[string]Choice
}

// Planned is one file of a plan.
type Planned struct {
	Path, From, Kind string
	Exists           bool
	Before, After    []byte   // the whole text now and then
	Edits            []Edit   // Before -> After at line boundaries, sorted, not overlapping
	Hunks            []string // the hunks taken; empty where the page has none
	Flags            []Flag
	Shared           bool
	Edited           bool   // the text is the user's own version of the hunks, from PlanEdited
	file             string // path of the proposal's file it is part of; not Path where hunks are taken before the page is moved
	steps            []step // undo: the receipt entries that it takes back
}

// Edit replaces Before[Start:End] (bytes) by New.
type Edit struct {
	Start, End int
	New        []byte
}

// Conflict is a file whose current text and proposed text changed the same lines, or that has gone or come meanwhile.
type Conflict struct {
	Path, Reason string
	Base, Agent  []byte // what the agent was given and what it made of it
	Yours        []byte // the text now
	Line         int    // 0-based line in Yours where it begins
	Regions      []Region
}

// Region is one place of a conflict: the lines that were changed on both sides. None where the whole page is the conflict.
type Region struct {
	Base, Agent, Yours []byte
	Line               int // 0-based line in Conflict.Yours
}

// Receipt proves one application: what was accepted and what was applied.
type Receipt struct {
	At    time.Time     `json:"at"`
	By    string        `json:"by"`
	Undo  bool          `json:"undo,omitempty"`
	Files []ReceiptFile `json:"files"`
	// Folders are those that had to be made, outer ones first: an undo removes them where they are left empty.
	Folders []string `json:"folders,omitempty"`
}

// ReceiptFile is one file of a receipt; texts are in the store under their sha256.
type ReceiptFile struct {
	Path     string    `json:"path"`
	From     string    `json:"from,omitempty"`
	Kind     string    `json:"kind"`
	Before   string    `json:"before,omitempty"`   // sha256 of the text that was replaced
	Accepted string    `json:"accepted,omitempty"` // sha256 of the text that the plan said
	Applied  string    `json:"applied,omitempty"`  // sha256 of the text read back afterwards
	Hunks    []string  `json:"hunks,omitempty"`
	Shared   bool      `json:"shared,omitempty"`
	Edited   bool      `json:"edited,omitempty"` // the user edited the diff: Accepted is not what the agent made
	Word     Word      `json:"word"`
	Reason   string    `json:"reason,omitempty"` // why it was not applied
	Undone   time.Time `json:"undone,omitzero"`  // when it was taken back
}

// Word tells what became of a file of a plan.
type Word string

// The words. All but NotApplied count as accepted; of a Partly applied file just the hunks that its ReceiptFile names.
const (
	WordApplied    Word = "applied"
	WordPartly     Word = "partly"
	WordNotApplied Word = "not applied"
	WordUnsaved    Word = "waiting to be saved"
	WordReshaped   Word = "changed by the editor"
)

// The kinds of change (design section 5).
const (
	Create = "create"
	Edited = "edit"
	Rename = "rename"
	Delete = "delete"
)
