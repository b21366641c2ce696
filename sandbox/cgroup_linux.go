package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A controlGroup holds the processes of a run, where control groups may be made: root's, and a user's to whom systemd delegates some. It bounds their
// number and their memory, and knows them all, whatever became of their parents. To move a process into one takes the kernel milliseconds, so that
// it is made where nothing else does the job.
type controlGroup struct{ dirs []string } // one, or one for each hierarchy of version 1

// noLimit is said where root's program is not bounded.
const noLimit = "a limit on processes (the program runs as root)"

// groupPrefix begins the names of our groups; the number of the process that made one follows.
const groupPrefix = "rig-run-"

// hierarchy is a mounted tree of control groups.
type hierarchy struct {
	mount, own string // own: where this process is in it
	v2         bool
	controller string // version 1
}

// hierarchies finds those that bound processes and memory (cgroups(7)).
func hierarchies() []hierarchy {
	mounts, err1 := os.ReadFile("/proc/self/mountinfo")
	groups, err2 := os.ReadFile("/proc/self/cgroup")
	if err1 != nil || err2 != nil {
		return nil
	}
	own := map[string]string{}
	for line := range strings.Lines(string(groups)) {
		if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 {
			for _, c := range strings.Split(f[1], ",") {
				own[c] = f[2]
			}
		}
	}
	var all []hierarchy
	for line := range strings.Lines(string(mounts)) {
		head, tail, _ := strings.Cut(line, " - ")
		h, t := strings.Fields(head), strings.Fields(tail)
		switch {
		case len(h) < 5 || len(t) < 3:
		case t[0] == "cgroup2":
			all = append(all, hierarchy{mount: h[4], own: own[""], v2: true})
		case t[0] == "cgroup":
			for _, c := range []string{"pids", "memory"} {
				if at, ok := own[c]; ok && slices.Contains(strings.Split(t[2], ","), c) {
					all = append(all, hierarchy{mount: h[4], own: at, controller: c})
				}
			}
		}
	}
	return all
}

// newControlGroup makes one with the limits that it can set. The error says why processes cannot be bounded so.
func newControlGroup(l Limits) (*controlGroup, error) {
	sweepGroups()
	g := &controlGroup{}
	name := groupPrefix + strconv.Itoa(os.Getpid()) + "-" + newToken()[:8]
	bounded := false
	for _, h := range hierarchies() {
		dir, err := h.make(name)
		if err != nil {
			continue
		}
		g.dirs = append(g.dirs, dir)
		limit := func(file string, v int64) bool {
			return v > 0 && os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(v, 10)), 0) == nil
		}
		if h.v2 || h.controller == "pids" {
			bounded = limit("pids.max", int64(l.Procs)) || bounded
		}
		if h.v2 || h.controller == "memory" {
			_ = limit("memory.max", l.Memory) || limit("memory.limit_in_bytes", l.Memory)
		}
	}
	if !bounded {
		return nil, errors.Join(errors.New("no control group that bounds processes can be made"), g.close())
	}
	return g, nil
}

// make makes a group below our own, or below one of the next two above it: a group of version 2 that holds processes passes no controller on.
func (h hierarchy) make(name string) (string, error) {
	at := filepath.Join(h.mount, h.own)
	for range 3 {
		dir := filepath.Join(at, name)
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			if _, err = os.Stat(filepath.Join(dir, "pids.max")); err == nil || !h.v2 {
				return dir, nil
			}
			_ = os.Remove(dir)
		}
		if at == h.mount {
			return "", err
		}
		at = filepath.Dir(at)
	}
	return "", errors.New("no group can be made here")
}

// add moves a helper into the group: what it starts from then on is in it too, and what it has started follows.
func (g *controlGroup) add(pid int) error {
	for _, dir := range g.dirs {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			return fmt.Errorf("control group: %w", err)
		}
	}
	for _, p := range processTable() {
		if p.ppid == pid {
			if err := g.add(p.pid); err != nil {
				return err
			}
		}
	}
	return nil
}

// close ends what is left in the group and removes it.
func (g *controlGroup) close() error {
	if g == nil {
		return nil
	}
	var errs []error
	for _, dir := range g.dirs {
		deadline := time.Now().Add(killWait)
		for {
			err := os.Remove(dir)
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			if time.Now().After(deadline) {
				errs = append(errs, fmt.Errorf("remove control group: %w", err))
				break
			}
			killGroup(dir)
			time.Sleep(time.Millisecond) // a group has no event for its last process's end that every version knows
		}
	}
	return errors.Join(errs...)
}

// killGroup kills all processes of a group: at once (cgroup.kill, Linux 5.14), else one by one.
func killGroup(dir string) {
	if os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// sweepGroups removes the groups of processes that died; the kernel has ended what was in them, or this does.
func sweepGroups() {
	for _, h := range hierarchies() {
		at := filepath.Join(h.mount, h.own)
		for range 3 {
			found, _ := filepath.Glob(filepath.Join(at, groupPrefix+"*"))
			for _, dir := range found {
				num, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), groupPrefix), "-")
				if pid, err := strconv.Atoi(num); err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
					killGroup(dir)
					_ = os.Remove(dir)
				}
			}
			if at == h.mount {
				break
			}
			at = filepath.Dir(at)
		}
	}
}
