package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/rigwiki/rig/sandbox"
)

// mapping is a file's content: mapped, or in memory where there is no cache folder.
type mapping struct {
	data   []byte
	fileID sandbox.FileID // zero where the system has none
	unmap  func([]byte) error
}

func (m mapping) close() {
	if m.unmap != nil && m.data != nil {
		_ = m.unmap(m.data) // fails only for an address that was not mapped
	}
}

// writeWhole puts a file in place under its name at once: a reader sees the old content or the new one.
func writeWhole(file string, parts ...[]byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*") // 0600
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// The numbers in our files are little-endian.
func u32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
func u64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

// piece is n bytes from off on; of a broken file, what there is of them.
func piece(b []byte, off, n uint64) []byte {
	off = min(off, uint64(len(b)))
	return b[off : off+min(n, uint64(len(b))-off)]
}

// keyHash hashes a key of a kind: FNV-1a, 64 bits, since it stands in files (maphash differs from process to process).
func keyHash(kind byte, key string) uint64 {
	h := uint64(14695981039346656037)
	h = (h ^ uint64(kind)) * 1099511628211
	for i := 0; i < len(key); i++ {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h
}

// pack lays sections out as one file: magic, checksum of all behind it, number of sections, their lengths, then the sections, each at a
// multiple of eight.
func pack(magic string, sections ...[]byte) [][]byte {
	head := make([]byte, 16+8*len(sections))
	copy(head, magic[:8])
	binary.LittleEndian.PutUint32(head[12:], uint32(len(sections)))
	out := [][]byte{head}
	for i, s := range sections {
		binary.LittleEndian.PutUint64(head[16+8*i:], uint64(len(s)))
		out = append(out, s, make([]byte, (8-len(s)%8)%8))
	}
	sum := checksum(head[12:])
	for _, s := range out[1:] {
		sum = crc32.Update(sum, castagnoli, s)
	}
	binary.LittleEndian.PutUint32(head[8:], sum)
	return out
}

// unpack takes a packed file apart. It proves lengths only; sound proves the content.
func unpack(data []byte, magic string, n int) ([][]byte, error) {
	head := 16 + 8*n
	if len(data) < head || string(data[:8]) != magic[:8] || binary.LittleEndian.Uint32(data[12:]) != uint32(n) {
		return nil, errFormat
	}
	out, at := make([][]byte, n), uint64(head)
	for i := range out {
		size := binary.LittleEndian.Uint64(data[16+8*i:])
		if size > uint64(len(data))-at {
			return nil, errFormat
		}
		out[i] = data[at : at+size : at+size]
		if at += (size + 7) &^ 7; at > uint64(len(data)) {
			return nil, errFormat
		}
	}
	if at != uint64(len(data)) {
		return nil, errFormat
	}
	return out, nil
}

func sound(data []byte) bool {
	return len(data) >= 16 && checksum(data[12:]) == binary.LittleEndian.Uint32(data[8:])
}

var errFormat = errors.New("not an index file of this version")

// keyTable is a list of (hash, value) pairs in order of hash.
type keyTable struct{ hashes, values []byte }

// pairs collects what becomes a keyTable.
type pair struct {
	hash  uint64
	value uint32
}

func newKeyTable(pairs []pair) keyTable {
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.value, b.value)) })
	pairs = slices.Compact(pairs)
	t := keyTable{make([]byte, 8*len(pairs)), make([]byte, 4*len(pairs))}
	for i, p := range pairs {
		binary.LittleEndian.PutUint64(t.hashes[8*i:], p.hash)
		binary.LittleEndian.PutUint32(t.values[4*i:], p.value)
	}
	return t
}

// sound tells whether each hash has its value.
func (t keyTable) sound() bool { return len(t.hashes)%8 == 0 && len(t.values)*2 == len(t.hashes) }

// find calls visit with each value of a hash.
func (t keyTable) find(hash uint64, visit func(uint32)) {
	n := len(t.hashes) / 8
	// Hashes are even: where one should stand is nearly known, which spares most of the steps (and page faults) of a plain binary search.
	lo, hi := 0, n
	if guess := int(float64(n) * (float64(hash) / (1 << 64))); n > 1024 {
		const reach = 256
		if a := guess - reach; a > 0 && u64(t.hashes, a) < hash {
			lo = a
		}
		if b := guess + reach; b < n && u64(t.hashes, b) >= hash {
			hi = b
		}
	}
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); u64(t.hashes, mid) < hash {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < n && u64(t.hashes, lo) == hash; lo++ {
		visit(u32(t.values, lo))
	}
}
