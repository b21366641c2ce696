package wiki

import "github.com/rigwiki/rig/sandbox"

// BadName is why rel cannot be a new path of a page that is at from now ("" for one that is nowhere yet), by the rule bad-name of the design,
// section 5, with a name that can; "" where it can. It reads the folders on the way to rel.
func BadName(w *Wiki, rel, from string) string {
	j := &judge{names: newNames(w.Real, map[string]bool{from: true})}
	return badName(j, &suspect{Change: sandbox.Change{Kind: sandbox.Create, Path: rel}})
}
