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
	Run         string    `json:"run"`
	Wiki        string    `json:"wiki"` // absolute root, as the user opened it
	Op          string    `json:"op"`
	Agent       string    `json:"agent"`
	Model       string    `json:"model,omitempty"`
	State       State     `json:"state"`
	Message     string    `json:"message"` // one sentence that counts, or the reason
	Hint        string    `json:"hint,omitempty"`
	Title       string    `json:"title"` // "ingest raw/draft-embed.md"
	Sources     []string  `json:"sources,omitempty"`
	SourceSHA   []string  `json:"sourceSHA,omitempty"` // sha256 of Sources when the run started
	Note        string    `json:"note,omitempty"`
	Revises     string    `json:"revises,omitempty"`
	Started     time.Time `json:"started"`
	Ended       time.Time `json:"ended,omitzero"`
	Exit        int       `json:"exitCode"` // of the verb, as the contract's table says
	AgentExit   int       `json:"agentExit"`
	Confinement string    `json:"confinement"`
	Files       []File    `json:"files"`
	Refused     []Refusal `json:"refused"`
	Answer      string    `json:"answer,omitempty"`
	Markers     []string  `json:"markers,omitempty"`
	Warnings    []string  `json:"warnings,omitempty"`
	Session     string    `json:"session,omitempty"`
	Usage       any       `json:"usage,omitempty"`
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
	Decided []Decision `json:"decided,omitempty"`
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

// Decision is what was decided about one hunk, or about the whole file where Hunk is "".
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

// Selection names what a decision is about. Zero: everything that waits.
type Selection struct {
	Paths []string
	Hunks []string // hunk ids as Store.Show gives them
}

// Current tells a page's text now: an editor's buffer, else the disk. ok is false where there is no such page.
type Current func(path string) (text []byte, ok bool, err error)

// Plan is the exact effect of a selection on the current texts.
type Plan struct {
	Run       string
	Files     []Planned  // renames first, then creates, edits, deletes; deletes that make room come first
	Conflicts []Conflict // nothing of these files is in Files
	Unflagged []string   // flagged paths that were left out, since the selection did not name them (no explicit yes)
	Undo      bool       // plan of an undo
}

// Planned is one file of a plan.
type Planned struct {
	Path, From, Kind string
	Exists           bool
	Before, After    []byte // the whole text now and then
	Edits            []Edit // Before -> After at line boundaries, sorted, not overlapping
	Hunks            []string
	Flags            []Flag
	Shared           bool
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
}

// Receipt proves one application: what was accepted and what was applied.
type Receipt struct {
	At    time.Time     `json:"at"`
	By    string        `json:"by"`
	Undo  bool          `json:"undo,omitempty"`
	Files []ReceiptFile `json:"files"`
}

// ReceiptFile is one file of a receipt; texts are in the store under their sha256.
type ReceiptFile struct {
	Path     string   `json:"path"`
	From     string   `json:"from,omitempty"`
	Kind     string   `json:"kind"`
	Before   string   `json:"before,omitempty"`   // sha256 of the text that was replaced
	Accepted string   `json:"accepted,omitempty"` // sha256 of the text that the plan said
	Applied  string   `json:"applied,omitempty"`  // sha256 of the text read back afterwards
	Hunks    []string `json:"hunks,omitempty"`
	Word     string   `json:"word"` // applied, partly, not applied, waiting to be saved, changed by the editor
}
