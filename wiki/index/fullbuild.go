package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// fullTextBuilder collects the terms of pages. It is used by one goroutine.
//
// Postings are kept twice: as they come, page by page, in a log that is written and read in order; and sorted by term, once it is known how much room each
// term takes. A list for each term that grows as pages come costs three times that, in memory that is moved and looked for all over the place.
type fullTextBuilder struct {
	tok   tokenizer
	page  docTable // terms of the document at hand
	terms termTable
	stats []termStat
	log   byteLog // of each document the number of its terms, then each term's number, with a flag for weight 1, and other weights

	lengths, sketches []byte
	bands             []pair
	total             uint64
	docs              uint32
}

// termStat is what is known of a term's list before it is laid out.
type termStat struct {
	last  uint32 // document
	count uint32
	size  uint32 // bytes
	title bool
}

// add takes the next document.
func (b *fullTextBuilder) add(calls, text []byte) {
	b.page.begin()
	length := docTerms(&b.tok, calls, text, b.page.add)
	buf := b.log.room(binary.MaxVarintLen32 * (1 + 2*len(b.page.used)))
	buf = binary.AppendUvarint(buf, uint64(len(b.page.used)))
	for _, at := range b.page.used {
		s := &b.page.slots[at]
		id, fresh := b.terms.id(s.hash, b.page.text[s.start:s.end])
		if fresh {
			b.stats = append(b.stats, termStat{})
		}
		t := &b.stats[id]
		t.size += uint32(postingLen(b.docs-t.last, s.weight))
		t.last = b.docs
		t.count++
		t.title = t.title || s.title
		buf = appendPosting(buf, id, s.weight)
	}
	b.log.took(buf)
	b.sketch()
	b.total += uint64(length)
	b.lengths = binary.LittleEndian.AppendUint32(b.lengths, uint32(length))
	b.docs++
}

// appendPosting writes a distance or a number with its weight: a flag says that that is 1, which it is as a rule.
func appendPosting(b []byte, n, weight uint32) []byte {
	if weight == 1 {
		return binary.AppendUvarint(b, uint64(n)<<1|1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(n)<<1), uint64(weight))
}

func postingLen(n, weight uint32) int {
	size := uvarintLen(uint64(n) << 1)
	if weight != 1 {
		size += uvarintLen(uint64(weight))
	}
	return size
}

func uvarintLen(v uint64) (n int) {
	for n = 1; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

// sketch keeps the document's sketch.
func (b *fullTextBuilder) sketch() {
	least := b.page.sketch.end()
	for i := range sketchSize {
		v := uint32(math.MaxUint32)
		if least != nil {
			v = least[i]
		}
		b.sketches = binary.LittleEndian.AppendUint32(b.sketches, v)
	}
	for band := range sketchBands {
		if least == nil {
			return
		}
		if key, ok := bandKey(least, band); ok {
			b.bands = append(b.bands, pair{key, b.docs})
		}
	}
}

// finish gives the file's parts; of is the checksum of the segment that the documents are from.
func (b *fullTextBuilder) finish(of uint32) [][]byte {
	le := binary.LittleEndian
	var terms, termText, lists, titles []byte
	at := uint32(0)
	for i, id := range b.inOrder() {
		t := &b.stats[id]
		terms = le.AppendUint32(terms, uint32(len(termText)))
		termText = append(termText, b.terms.term(id)...)
		lists = le.AppendUint32(le.AppendUint32(lists, at), t.count)
		if t.title {
			titles = le.AppendUint32(titles, uint32(i))
		}
		at, t.size, t.last = at+t.size, at, 0 // from here on size is where the next posting goes
	}
	terms = le.AppendUint32(terms, uint32(len(termText)))
	bands := newKeyTable(b.bands)
	meta := le.AppendUint64(le.AppendUint64(nil, b.total), uint64(of))
	return pack(fullTextMagic, meta, b.lengths, terms, termText, lists, b.postings(at), titles, b.sketches, bands.hashes, bands.values)
}

// postings lays the log out by term.
func (b *fullTextBuilder) postings(size uint32) []byte {
	out := make([]byte, size)
	left, doc := uint64(0), uint32(math.MaxUint32)
	for _, chunk := range b.log.chunks {
		for len(chunk) > 0 {
			v, n := binary.Uvarint(chunk)
			chunk = chunk[n:]
			if left == 0 {
				left = v
				doc++
				continue
			}
			left--
			weight := uint64(1)
			if v&1 == 0 {
				weight, n = binary.Uvarint(chunk)
				chunk = chunk[n:]
			}
			t := &b.stats[v>>1]
			to := appendPosting(out[t.size:t.size], doc-t.last, uint32(weight))
			t.size += uint32(len(to))
			t.last = doc
		}
	}
	return out
}

// inOrder gives the terms' numbers in the order of their bytes.
func (b *fullTextBuilder) inOrder() []uint32 {
	type key struct {
		first uint64 // bytes
		id    uint32
	}
	keys := make([]key, b.terms.count())
	for i := range keys {
		var first [8]byte
		copy(first[:], b.terms.term(uint32(i)))
		keys[i] = key{binary.BigEndian.Uint64(first[:]), uint32(i)}
	}
	slices.SortFunc(keys, func(a, c key) int {
		return cmp.Or(cmp.Compare(a.first, c.first), bytes.Compare(b.terms.term(a.id), b.terms.term(c.id)))
	})
	out := make([]uint32, len(keys))
	for i, k := range keys {
		out[i] = k.id
	}
	return out
}

// byteLog is written in order, in chunks that are never moved.
type byteLog struct {
	chunks [][]byte
	at     []byte // the chunk that is written, to its length
}

const logChunk = 1 << 20

// room gives an empty slice with room for n bytes; what is written there is handed back to took.
func (l *byteLog) room(n int) []byte {
	if cap(l.at)-len(l.at) < n {
		l.at = make([]byte, 0, max(n, logChunk))
		l.chunks = append(l.chunks, nil)
	}
	return l.at[len(l.at):]
}

func (l *byteLog) took(b []byte) {
	l.at = l.at[:len(l.at)+len(b)]
	l.chunks[len(l.chunks)-1] = l.at
}
