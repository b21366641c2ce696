package adapters

import (
	"context"
	"io"
	"os"
	"time"
)

// An Adapter speaks to one kind of agent.
type Adapter interface {
	// Name is what users write in config and after --agent.
	Name() string
	// Detect looks for the agent's program. It may run it with --version or --help, bounded in time.
	Detect(ctx context.Context, env Env) Detection
	// Plan says how to start the agent for one request. It is pure: the same request gives the same invocation.
	Plan(r Request) (Invocation, error)
	// Converse reads the agent's stdout until its terminal event or EOF and emits events as they come. It writes nothing: where
	// Invocation.TwoWay is set, Invocation.Talk stands in for it. It never fails: what went wrong is part of the outcome.
	Converse(ctx context.Context, rw io.ReadWriter, emit func(Event)) Outcome
	// Wire makes interactive sessions in the project report events (design section 8).
	Wire(ctx context.Context, w WireRequest) (WireReport, error)
}

// Env is what an adapter may know of the machine: the user's environment (never the process's own directly).
type Env struct {
	Vars    []string // "K=V" as os.Environ gives
	Home    string
	RigHome string // $RIG_HOME
	Project string // folder whose local/adapters/ counts, "" for none (untrusted)
	Self    string // absolute path of our own binary
	Config  map[string]AgentConfig
	Answers Answers // nil: programs are asked each time
}

// Answers keeps what programs said about themselves; asking one costs up to seconds. A key changes with the program and the question.
// Safe for concurrent use.
type Answers interface {
	Answer(key string) (text string, known bool)
	Keep(key, text string)
}

// AgentConfig is `agent.<name>` of config.json5.
type AgentConfig struct {
	Command string
	Args    []string
	Env     map[string]string
	Network []string
	MCP     bool
}

// Detection tells whether an agent can run here.
type Detection struct {
	Installed bool
	Version   string   // "" where unknown
	Path      string   // absolute path of the program; symlinks not resolved
	Runtime   []string // further absolute paths that must be visible in a sandbox (node, package folder)
	Usable    bool
	Why       string          // why not usable, and what to do: one sentence
	Features  map[string]bool // probed, vendor's words
	Servers   []string        // names of the MCP servers of the user's own, where a plan must name them to leave them out
	Webless   bool            // has no tool that reads the web: a fetch is the host's
	Hosts     []string        // "host" or "host:port" of model servers that the agent's own config file names
	Vendor    *Detection      // of a directory adapter with a built-in one's name: that one's program; nil: none
}

// Mode is the intent that a run is launched with (AGENT_MODE).
type Mode string

// The modes; ingest and fetch map to Work, query and lint to Review.
const (
	Work   Mode = "work"
	ActPR  Mode = "act-pr"
	Review Mode = "review"
)

// Grant says what a run may do. Adapters render it in their vendor's rules; package sandbox enforces it below them.
type Grant struct {
	Write    bool     // may write below Cwd
	Web      bool     // may fetch from the web
	Commands []string // shell command prefixes that may run ("qmd", "git add", "npm test")
	Exact    []string // whole command lines that may run, where what could follow a prefix would undo the grant ("git push")
	Denied   []string // prefixes denied even where a shorter one is allowed
}

// Request is one run to plan.
type Request struct {
	Op        string // ingest, query, …
	Mode      Mode
	Prompt    string
	System    string   // appended to the agent's own system prompt
	Model     string   // vendor-native, untouched; "" lets the vendor choose
	Cwd       string   // absolute path at which the agent sees its folder
	ReadOnly  []string // rel paths below Cwd that no one may write (raw, schema.md, …)
	Grant     Grant
	Commands  []string // of Grant.Commands those that are the project's: what AGENT_COMMANDS holds
	Brief     string   // a task: the project's AGENTS.md, for agents that do not read it by themselves
	Detection Detection
	Env       Env
	Confined  bool   // package sandbox denies writes outside and hides secrets: an inner sandbox of the vendor is switched off
	Task      string // BOARD_TASK
	Board     Board
	Timeout   time.Duration
	Pages     string    // rel folder that holds the page folders: "" or "wiki" (for builtin, which reads no prompt)
	Sources   []Source  // of an ingest (for builtin)
	Question  string    // of a query (for builtin)
	Found     *[]Found  // pages that the wiki's search found for Question, best first (for builtin); nil: it was not searched
	Now       time.Time // the date that pages and log entries get (for builtin; others are told by the prompt)
}

// Source is one file to ingest.
type Source struct {
	Rel  string // where it lies in the wiki: "raw/x.md"
	At   string // where the agent can read it, absolute or below Cwd; "" is Rel
	Slug string // of the page to write; "" lets the agent make one
}

// Found is a page that may answer a question.
type Found struct {
	Rel  string // where it lies in the wiki
	Link string // what stands between [[ and ]] to mean it
}

// Board is the loopback endpoint for events (design section 9).
type Board struct {
	Port    int
	AgentID string
	Token   string // goes by environment, never by argv
}

// Invocation is how to start an agent. "{files}" in an Argv or Env element stands for the folder that Files are written to.
type Invocation struct {
	Argv    []string // Argv[0] is an absolute path
	Env     []string // "K=V" added to the allow-listed environment
	Pass    []string // names (or "PREFIX_*") of the user's variables that the vendor needs
	Stdin   []byte
	TwoWay  bool
	Files   map[string][]byte
	State   []string  // HOME-relative files and folders that are the agent's own
	Keep    []string  // of State: credential files that may be refreshed
	Visible []string  // absolute paths that must be readable inside
	Hosts   []string  // the vendor's hosts
	Stop    os.Signal // nil: SIGTERM
	// Talk, where set, is called in place of Adapter.Converse: a two-way protocol must know the request that it speaks for.
	Talk func(ctx context.Context, rw io.ReadWriter, emit func(Event)) Outcome
}

// Outcome is what the stream said, judged.
type Outcome struct {
	Started  bool   // the agent took at least one turn
	Ended    bool   // a terminal event was seen
	OK       bool   // the terminal event says that it went well
	Text     string // final text
	Denials  []Denial
	Failure  *Failure // nil: none reported
	Question bool     // the final text ends by asking the user something
	Retrying string   `json:",omitempty"` // the last error of the model's API after which the agent tried again, "" where it went on since
	Turns    int
	Usage    Usage
	Session  string
	Model    string
}

// Denial is a tool call that the agent was refused.
type Denial struct{ Tool, Target string }

// Failure is an error of the agent or its API.
type Failure struct {
	Kind      string // api-error, auth, rate-limit, busy, no-turn, truncated, cwd-missing, config, other
	Message   string // one sentence for a person
	Hint      string // what to do
	Retryable bool
}

// Usage is what the stream tells of cost.
type Usage struct {
	InputTokens  int64   `json:"inputTokens,omitempty"`
	OutputTokens int64   `json:"outputTokens,omitempty"`
	CostUSD      float64 `json:"costUSD,omitempty"`
}

// Plus is what two sessions used together.
func (u Usage) Plus(more Usage) Usage {
	return Usage{u.InputTokens + more.InputTokens, u.OutputTokens + more.OutputTokens, u.CostUSD + more.CostUSD}
}

// Event is one normalized event, schema v1 (design section 9). Text fields are capped by [Event.Capped].
type Event struct {
	V       int    `json:"v"`
	Session string `json:"session"`
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
	File    string `json:"file,omitempty"`
	Cmd     string `json:"cmd,omitempty"`
	Detail  string `json:"detail,omitempty"`
	OK      *bool  `json:"ok,omitempty"`
	Running bool   `json:"running,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Task    string `json:"task,omitempty"`
}
