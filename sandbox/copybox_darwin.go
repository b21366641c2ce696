package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// jail is macOS's.
type jail = seatbelt

// confine says what the seatbelt holds (tier C), else that nothing does (D).
func (b *copyBox) confine() error {
	b.conf = unconfinedCopy()
	if b.o.ForceUnconfined {
		return nil
	}
	if _, err := os.Stat("/usr/bin/sandbox-exec"); err != nil {
		return nil
	}
	b.conf = Confinement{Layer: "copy", Tier: "C", HostWrites: true, HostSecrets: true, Network: "none", Missing: []string{
		"a process that leaves its group and clears its environment may outlive the run",
	}}
	b.jail = &jail{Write: []string{b.view, b.tmpDir(), filepath.Join(b.spec.RunDir, "home")}, Hidden: []string{"/Users", "/Volumes"}}
	for _, p := range append([]string{b.spec.Home}, b.spec.Cover...) {
		if real, err := filepath.EvalSymlinks(p); p != "" && err == nil && real != "/" {
			b.jail.Hidden = append(b.jail.Hidden, real)
		}
	}
	for _, p := range append(append([]string{b.spec.RunDir}, alwaysShown()...), append(toolExecs(b.spec.Tools), b.spec.Visible...)...) {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return fmt.Errorf("show %s: %w", p, err)
		}
		b.jail.Shown = append(b.jail.Shown, real)
	}
	return b.confineNet()
}

// alwaysShown is our own binary.
func alwaysShown() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self}
}

// wrapped is the command line in the seatbelt, where there is one.
func wrapped(j *jail, argv []string) []string {
	if j == nil {
		return argv
	}
	return j.argv(argv)
}

// leftovers are the processes whose environment bears a run's mark, where it can be read (sysctl kern.procargs2, our own processes only).
func leftovers(mark string) []int {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil
	}
	var found []int
	for _, p := range list {
		pid := int(p.Proc.P_pid)
		if args, err := unix.SysctlRaw("kern.procargs2", pid); err == nil && bytes.Contains(args, []byte(mark)) && pid != os.Getpid() {
			found = append(found, pid)
		}
	}
	return found
}
