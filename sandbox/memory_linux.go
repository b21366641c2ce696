package sandbox

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryLeft is what of the machine's memory may still be taken (proc_meminfo(5), MemAvailable), or less where a control group of ours is bounded
// (memory.max, cgroup v2). false: neither is known.
func memoryLeft() (int64, bool) {
	left := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			var kib int64
			if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
				left = kib << 10
			}
		}
	}
	if text, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		for line := range strings.Lines(string(text)) {
			if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
				left = min(left, groupLeft("/sys/fs/cgroup", group))
			}
		}
	}
	return left, left != math.MaxInt64
}

// groupLeft is the least that a control group and those above it have left.
func groupLeft(mount, group string) int64 {
	left := int64(math.MaxInt64)
	for g := filepath.Clean("/" + group); ; g = filepath.Dir(g) {
		most, err1 := readNumber(filepath.Join(mount, g, "memory.max"))
		used, err2 := readNumber(filepath.Join(mount, g, "memory.current"))
		if err1 == nil && err2 == nil { // "max" is no number: not bounded
			left = min(left, max(0, most-used))
		}
		if g == "/" {
			return left
		}
	}
}

func readNumber(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}
