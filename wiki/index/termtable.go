package index

// termTable numbers terms in the order in which they come. A build asks it for every word of every page: Go's map takes twice the time, and comparing the
// terms themselves would cost two misses of the cache more than their hashes, of which two are the same once in thirty million wikis of a million words.
type termTable struct {
	slots []termSlot
	text  []byte
	ends  []uint32
}

type termSlot struct {
	hash uint64
	id   uint32 // number + 1; 0 is free
}

func (t *termTable) count() int { return len(t.ends) }

func (t *termTable) term(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.text[start:t.ends[id]]
}

// id gives the number of a term by its hash, a new one where it has none.
func (t *termTable) id(hash uint64, term []byte) (id uint32, fresh bool) {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == 0 {
			t.text = append(t.text, term...)
			t.ends = append(t.ends, uint32(len(t.text)))
			*s = termSlot{hash, uint32(len(t.ends))}
			return s.id - 1, true
		}
		if s.hash == hash {
			return s.id - 1, false
		}
	}
}

func (t *termTable) grow() {
	old := t.slots
	t.slots = make([]termSlot, max(1<<12, 4*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.id == 0 {
			continue
		}
		i := s.hash & mask
		for t.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// docTable counts the terms of one page. It is small enough to stay in the processor's cache, so that the large table is asked once for each different term.
type docTable struct {
	slots []docSlot
	used  []uint32 // slots of the page at hand
	page  uint32   // number of the page; a slot of another one is free
	text  []byte

	sketch sketch // of the body, whose terms are those of weight 1
}

type docSlot struct {
	hash         uint64
	page, weight uint32
	start, end   uint32 // of the term in text
	title        bool
}

// begin starts a page.
func (t *docTable) begin() {
	if t.page++; t.page == 0 || t.slots == nil {
		t.slots, t.page = make([]docSlot, max(1<<11, len(t.slots))), 1
	}
	t.used, t.text = t.used[:0], t.text[:0]
	t.sketch.begin()
}

// add counts a term.
func (t *docTable) add(term []byte, weight uint32) {
	if len(t.used)*2 >= len(t.slots) {
		t.grow()
	}
	hash, mask := termHash(term), uint64(len(t.slots)-1)
	if weight == bodyWeight {
		t.sketch.add(hash)
	}
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		switch {
		case s.page != t.page:
			start := uint32(len(t.text))
			t.text = append(t.text, term...)
			*s = docSlot{hash, t.page, weight, start, uint32(len(t.text)), weight == titleWeight}
			t.used = append(t.used, uint32(i))
			return
		case s.hash == hash:
			s.weight += weight
			s.title = s.title || weight == titleWeight
			return
		}
	}
}

func (t *docTable) grow() {
	old := t.slots
	t.slots = make([]docSlot, 4*len(old))
	mask := uint64(len(t.slots) - 1)
	for n, at := range t.used {
		s := old[at]
		i := s.hash & mask
		for t.slots[i].page != 0 {
			i = (i + 1) & mask
		}
		t.slots[i], t.used[n] = s, uint32(i)
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
