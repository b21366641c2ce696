package wiki

import "github.com/rigwiki/rig/adapters"

// Op is what one operation may do.
type Op struct {
	Name   string
	Writes bool // changes become a proposal; elsewhere any change is refused (rule read-only)
	Mode   adapters.Mode
	Grant  adapters.Grant
	// Fallback names what answers where the configured agent cannot run: any usable agent, then builtin. Without it the run ends with exit 20.
	Fallback bool
	Marker   string // line that the agent is asked to end with, "" for none
	Title    string // of the run, before its subject
}

// Ops are the operations that run an agent, in the order in which menus show them.
func Ops() []Op {
	read := adapters.Grant{Commands: []string{"qmd"}}
	write := adapters.Grant{Write: true, Commands: []string{"qmd"}}
	return []Op{
		{Name: "ingest", Writes: true, Mode: adapters.Work, Grant: write, Marker: "INGEST DONE:", Title: "ingest"},
		{Name: "query", Mode: adapters.Review, Grant: read, Fallback: true, Title: "query"},
		{Name: "lint", Mode: adapters.Review, Grant: read, Fallback: true, Title: "lint"},
		{Name: "fetch", Writes: true, Mode: adapters.Work, Grant: adapters.Grant{Write: true, Web: true}, Title: "fetch"}, // in an empty folder of its own
	}
}

// FindOp returns the operation called name.
func FindOp(name string) (Op, bool) {
	for _, o := range Ops() {
		if o.Name == name {
			return o, true
		}
	}
	return Op{}, false
}
