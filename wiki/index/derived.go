package index

import "sync"

// derived is what is made of the rows of a base when it is asked for first, and again where the kept index was laid out anew. The zero value has nothing made.
type derived[T any] struct {
	mu   sync.Mutex
	made bool
	base *names
	kept T
}

// stepRows is how many rows are taken in while a writer waits: an edit waits for no table of a large wiki.
const stepRows = 64

// hold gives it with x.mu held for reading, which the caller lets go of. begin starts one for a base, row takes in a row of it; both are called with x.mu
// held for reading, and anew where the base is replaced meanwhile. Who calls hold must not hold x.mu: a writer that waits for it stops all readers.
func (d *derived[T]) hold(x *Index, begin func(base *names) T, row func(T, uint32)) T {
	for {
		base, kept := d.of(x, begin, row)
		x.mu.RLock()
		if x.base == base {
			return kept
		}
		x.mu.RUnlock()
	}
}

func (d *derived[T]) of(x *Index, begin func(base *names) T, row func(T, uint32)) (*names, T) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x.mu.RLock()
	defer x.mu.RUnlock()
	for !d.made || d.base != x.base {
		base, kept := x.base, begin(x.base)
		whole := true
		for i := range uint32(base.count()) {
			if i%stepRows == stepRows-1 {
				x.mu.RUnlock() // a writer goes first
				x.mu.RLock()
				if whole = x.base == base; !whole {
					break
				}
			}
			row(kept, i)
		}
		if whole {
			d.made, d.base, d.kept = true, base, kept
		}
	}
	return d.base, d.kept
}
