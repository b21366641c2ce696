//go:build unix

package index

import "golang.org/x/sys/unix"

func makeFIFO(file string) error { return unix.Mkfifo(file, 0o600) }

// cpuSeconds is the processor time that this process has used.
func cpuSeconds() float64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
