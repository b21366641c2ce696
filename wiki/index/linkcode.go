package index

import (
	"encoding/binary"
	"math"
	"strings"
)

// linkKey is the hash of what a link's target has in common with every page that it may mean: its last part without .md, percent-decoded, loose.
func linkKey(target string) uint64 { return keyHash(looseKey, Loose(stem(unpercent(target)))) }

// aliasLinkKey is the key by which an alias with a slash is found; linkKey takes its last part only.
func aliasLinkKey(target string) uint64 { return keyHash(looseKey, Loose(target)) }

// mayMean tells whether a link with the target could mean what the keys belong to.
func mayMean(keys map[uint64]bool, target string) bool {
	return keys[linkKey(target)] || strings.Contains(target, "/") && keys[aliasLinkKey(target)]
}

// targetKeys are the link keys of all links that may mean the entry.
func (e *entry) targetKeys() map[uint64]bool {
	keys := map[uint64]bool{linkKey(e.path): true}
	for _, a := range e.aliases {
		keys[linkKey(a)] = true
		keys[aliasLinkKey(a)] = true
	}
	return keys
}

// kinds numbers the kinds of link in files; the order must not change within a version.
func kindCode(k Kind) uint64 {
	for i, x := range kindsInOrder() {
		if x == k {
			return uint64(i)
		}
	}
	return 0
}

func kindsInOrder() [3]Kind { return [3]Kind{Wiki, Markdown, Property} }

func appendLink(b []byte, l Link) []byte {
	flags := kindCode(l.Kind) << 1
	if l.Embed {
		flags |= 1
	}
	for _, v := range []int{l.Start, l.End - l.Start, l.TargetStart - l.Start, l.TargetEnd - l.TargetStart} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	b = binary.AppendUvarint(b, flags)
	for _, s := range []string{l.Target, l.Heading, l.Block, l.Alias, l.Width} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

func decodeLinks(b []byte) []Link {
	var out []Link
	number := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > math.MaxInt32 { // no link of ours: the list ends
			b = nil
			return 0
		}
		b = b[n:]
		return int(v)
	}
	text := func() string {
		n := min(number(), len(b))
		s := string(b[:n])
		b = b[n:]
		return s
	}
	for len(b) > 0 {
		var l Link
		l.Start = number()
		l.End = l.Start + number()
		l.TargetStart = l.Start + number()
		l.TargetEnd = l.TargetStart + number()
		flags := number()
		kinds := kindsInOrder()
		l.Kind, l.Embed = kinds[min(flags>>1, len(kinds)-1)], flags&1 == 1
		l.Target, l.Heading, l.Block, l.Alias, l.Width = text(), text(), text(), text(), text()
		out = append(out, l)
	}
	return out
}
