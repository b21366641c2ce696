package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limitProcesses bounds the processes of our user from here on, forbids core dumps, and lets the kernel end this process and what comes of it
// before others where memory runs out. For root's own number the first does nothing (getrlimit(2), RLIMIT_NPROC).
func limitProcesses(procs int) error {
	for _, l := range []struct {
		what int
		max  uint64
	}{{unix.RLIMIT_NPROC, uint64(procs)}, {unix.RLIMIT_CORE, 0}} {
		lim := unix.Rlimit{Cur: l.max, Max: l.max}
		if err := unix.Setrlimit(l.what, &lim); err != nil {
			return fmt.Errorf("setrlimit: %w", err)
		}
	}
	return nil
}

// firstToGo is how much sooner than others a run is ended where memory runs out (proc_pid_oom_score_adj(5)): before the user's editor, after nothing.
const firstToGo = "500"

// offerFirst makes this process and what comes of it the first to go. What is refused leaves them like any other.
func offerFirst() {
	os.WriteFile("/proc/self/oom_score_adj", []byte(firstToGo), 0)
}

// reservedPIDs are never given out again once numbers have gone round (kernel/pid.c, RESERVED_PIDS).
const reservedPIDs = 300

// boundPIDs bounds the processes of our process namespace, root's too: a namespace has a kernel.pid_max of its own from Linux 6.14 on. Before that the
// file is the machine's, and root could write it, so that the version is asked first. Its proc must be mounted.
func boundPIDs(procs int) bool {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil || !atLeast(unix.ByteSliceToString(u.Release[:]), 6, 14) {
		return false
	}
	const file = "/proc/sys/kernel/pid_max"
	want := strconv.Itoa(reservedPIDs + max(procs, 1))
	if os.WriteFile(file, []byte(want), 0) != nil {
		return false
	}
	got, err := os.ReadFile(file)
	return err == nil && strings.TrimSpace(string(got)) == want
}

// atLeast compares a kernel's release ("6.14.0-rc1") with a version.
func atLeast(release string, major, minor int) bool {
	var a, b int
	n, _ := fmt.Sscanf(release, "%d.%d", &a, &b)
	return n == 2 && (a > major || a == major && b >= minor)
}

// tasksOf counts the threads of a user: what RLIMIT_NPROC counts where there is no user namespace.
func tasksOf(uid int) int {
	n := 0
	for _, p := range processTable() {
		var st unix.Stat_t
		dir := "/proc/" + strconv.Itoa(p.pid)
		if unix.Stat(dir, &st) == nil && int(st.Uid) == uid {
			if tasks, err := os.ReadDir(dir + "/task"); err == nil {
				n += len(tasks)
			}
		}
	}
	return n
}
