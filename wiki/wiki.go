package wiki

// Layout is how a wiki's folders lie.
type Layout string

// The layouts of the design, section 4. Links is a folder of plain markdown: link features and search, no agent ops.
const (
	Flat  Layout = "flat"  // page folders at the root
	V0    Layout = "v0"    // page folders under wiki/
	Plain Layout = "plain" // raw/ + wiki/ + CLAUDE.md or AGENTS.md as schema
	Links Layout = "links"
)

// Wiki is one wiki on disk.
type Wiki struct {
	Root   string // absolute, as the user opened it (links kept)
	Real   string // Root with links resolved: what is compared and locked
	Name   string
	ID     string // <name>-<first 8 hex of sha256 of Real>
	Layout Layout
	Pages  string   // rel folder that holds the page folders: "" or "wiki"
	Config string   // absolute path of its .rig/config.yml, "" where it has none
	Schema string   // rel path of the schema file: schema.md, CLAUDE.md or AGENTS.md; "" for Links
	Human  []string // rel paths that are the human's: raw, purpose.md, schema.md (and CLAUDE.md or AGENTS.md as the schema)
	Shared []string // rel paths of index.md, overview.md, log.md, reviews.md that exist or would be made
}
