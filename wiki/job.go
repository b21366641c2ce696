package wiki

import (
	"time"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/wiki/proposal"
)

// Job is one operation to run. Paths are relative to the wiki unless they say otherwise.
type Job struct {
	Wiki     *Wiki
	Run      string // "" makes one
	Op       string
	Sources  []string // ingest: files of raw/
	Question string   // query
	Fetch    FetchJob // fetch
	Note     string
	With     []string // absolute paths given to the agent, read-only
	Agent    string   // "" takes the configured one
	Model    string
	Timeout  time.Duration // 0: configured
	Layer    string        // "" or auto, overlay, copy
	Again    bool          // also where the source is ingested and unchanged, or a proposal waits
	Revises  string        // run whose proposal is the starting point
	Stack    []string      // runs whose proposals, where they wait, the agent finds made already, in their order
	Buffers  map[string]Buffer
	Settings *Settings // flags or an editor's settings; nil: none
	By       string    // editor, cli, daemon
	Hold     *Hold     // nil: the run takes the wiki itself; else it is one of several that share it

	adapter adapters.Adapter // stands for Agent: one that is examined and need not be in the registry
}

// FetchJob is what a fetch is to bring into raw/.
type FetchJob struct {
	URL      string
	Private  bool // from this machine and private networks too
	Assets   bool // with its images
	Original bool // with the bytes as they came
}

// Buffer is an editor's unsaved text.
type Buffer struct {
	Text    []byte
	Version int32
}

// Update is what a watcher of a run sees. The last one carries a state that ends the run, or Proposed or Done.
type Update struct {
	Run      string
	State    proposal.State
	Position int             // in the queue, from 1; 0 where it is not waiting
	Message  string          // one line
	Event    *adapters.Event // nil: a change of state
	Record   *proposal.Record
}

// AgentInfo is a line of `rig wiki agent list`.
type AgentInfo struct {
	Name      string `json:"name"`
	Installed bool   `json:"installed"`
	Version   string `json:"version"`
	Path      string `json:"path"`
	Usable    bool   `json:"usable"`
	Why       string `json:"why"`
	Default   bool   `json:"default"`
}
