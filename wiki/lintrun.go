package wiki

import "github.com/rigwiki/rig/wiki/index"

func (r *run) readLint(x *index.Index) {}
