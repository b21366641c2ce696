package index

// termTable numbers terms in the order in which they come. A build asks it for every word of the wiki: Go's map takes twice the time.
type termTable struct {
	slots []uint64 // hash's upper half, then number + 1; 0 is free
	text  []byte
	ends  []uint32
}

func (t *termTable) count() int { return len(t.ends) }

func (t *termTable) term(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.text[start:t.ends[id]]
}

// id gives the number of a term, a new one where it has none.
func (t *termTable) id(term []byte) (id uint32, fresh bool) {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	h := termHash(term)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		slot := t.slots[i]
		if slot == 0 {
			t.text = append(t.text, term...)
			t.ends = append(t.ends, uint32(len(t.text)))
			t.slots[i] = h&^0xffffffff | uint64(len(t.ends))
			return uint32(len(t.ends) - 1), true
		}
		if slot>>32 == h>>32 && string(t.term(uint32(slot)-1)) == string(term) {
			return uint32(slot) - 1, false
		}
	}
}

func (t *termTable) grow() {
	t.slots = make([]uint64, max(1<<12, 4*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for id := range t.ends {
		h := termHash(t.term(uint32(id)))
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&^0xffffffff | uint64(id+1)
	}
}

// termHash is FNV-1a with a last mixing, so that its lower bits can be used as they are.
func termHash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 29
	return h * 0x9e3779b97f4a7c15
}
