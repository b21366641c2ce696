package index

import "encoding/binary"

// The weights of fields: how often a term counts for each time it stands there.
const (
	titleWeight   = 8
	headingWeight = 3
	tagWeight     = 3
	bodyWeight    = 1
)

// appendCalls encodes what a search asks of a page besides its body: where that begins, then each name, heading and tag with its weight.
func appendCalls(b []byte, name string, p *Page) []byte {
	b = binary.AppendUvarint(b, uint64(p.Front.End))
	field := func(weight uint64, texts ...string) {
		for _, s := range texts {
			b = append(binary.AppendUvarint(binary.AppendUvarint(b, weight), uint64(len(s))), s...)
		}
	}
	field(titleWeight, name)
	if p.Title != name {
		field(titleWeight, p.Title)
	}
	field(titleWeight, p.Aliases...)
	for _, h := range p.Headings {
		field(headingWeight, h.Text)
	}
	field(tagWeight, p.Front.List("tags")...)
	return b
}

// docTerms emits the terms of a page with their weights and tells how many the body has. calls is what appendCalls made; one that is broken ends it.
func docTerms(t *tokenizer, calls, text []byte, emit func(term []byte, weight uint32)) int {
	number := func() uint64 {
		v, n := binary.Uvarint(calls)
		calls = calls[max(n, 0):]
		if n <= 0 {
			calls = nil
		}
		return v
	}
	body := min(number(), uint64(len(text)))
	weight := uint32(0)
	t.emit = func(term []byte) { emit(term, weight) }
	for len(calls) > 0 {
		weight = uint32(number())
		n := min(number(), uint64(len(calls)))
		t.run(calls[:n])
		calls = calls[n:]
	}
	length := 0
	t.emit = func(term []byte) {
		length++
		emit(term, bodyWeight)
	}
	t.run(text[body:])
	return length
}
