package sandbox

import "time"

// depthMax is how deep folders may nest in a view before a branch is reported instead of read: one open folder is kept per level.
const depthMax = 64

// withDefaults fills the zero fields.
func (l Limits) withDefaults() Limits {
	def := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
	}
	def(&l.FileBytes, 8<<20)
	def(&l.Bytes, 256<<20)
	def(&l.Upper, 512<<20)
	def(&l.Inodes, 100_000)
	def(&l.Own, 8<<30)
	if l.Files == 0 {
		l.Files = 2000
	}
	if l.Procs == 0 {
		l.Procs = 512
	}
	if l.Grace == 0 {
		l.Grace = 3 * time.Second
	}
	if l.Linger == 0 {
		l.Linger = 5 * time.Second
	}
	return l
}
