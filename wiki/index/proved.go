package index

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rigwiki/rig/sandbox"
)

// provedFile tells which segments were found to match their checksums since the machine started, a line each. Nobody writes into a segment that has its name, so that only a cut
// of power leaves half of one; a proof reads all of it, which every short run would pay in proportion to the wiki.
const provedFile = "proved"

// provedMax bounds the file, in bytes; beyond it is begun anew.
const provedMax = 64 << 10

// segmentSound proves a segment by its checksum, unless this very file was proved since the start of the machine.
func (x *Index) segmentSound(s *segment) bool { return x.fileSound(s.name, s.mapping) }

// fileSound proves a file of a segment so.
func (x *Index) fileSound(name string, m mapping) bool {
	line := provedLine(name, m.fileID)
	file := filepath.Join(x.o.Dir, provedFile)
	had, _ := os.ReadFile(file) // what cannot be read proves nothing
	if line != "" && bytes.Contains(had, []byte(line)) {
		return true
	}
	if !sound(m.data) {
		return false
	}
	if line != "" && x.o.Dir != "" {
		if len(had) > provedMax {
			had = nil
		}
		_ = writeWhole(file, had, []byte(line)) // what is not kept is proved again
	}
	return true
}

// provedLine names a segment's file in this life of the machine; "" where the system has no name for that, or the file none.
func provedLine(name string, id sandbox.FileID) string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || id == (sandbox.FileID{}) {
		return ""
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d\n", strings.TrimSpace(string(boot)), name, id.Dev, id.Ino, id.Size, id.Mtime, id.Ctime)
}
