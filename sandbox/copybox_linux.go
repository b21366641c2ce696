package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// confine finds out what can hold a program on a copy, and says so (tier B, else D).
func (b *copyBox) confine() error {
	b.conf = unconfinedCopy()
	b.conf.Processes = true
	abi := landlockABI()
	if b.o.ForceUnconfined || abi < 1 {
		return nil
	}
	b.conf = Confinement{Layer: "copy", Tier: "B", Processes: abi >= 6, HostWrites: abi >= 3, HostSecrets: true, Network: "open"}
	for _, m := range []struct {
		from int
		what string
	}{
		{3, "cutting off files elsewhere is not denied (Landlock before version 3)"},
		{4, "its network is open (Landlock before version 4)"},
		{6, "the program could end its watcher, and the run would be discarded (Landlock before version 6)"},
		{1 << 30, "modes, owners and times of the user's files can be changed (no Landlock covers them)"},
	} {
		if abi < m.from {
			b.conf.Missing = append(b.conf.Missing, m.what)
		}
	}
	var err error
	if b.jail, err = newJail(b); err != nil {
		return err
	}
	if abi < 4 {
		b.jail.OpenNet = true
		return nil
	}
	if err := b.confineNet(); err != nil {
		return err
	}
	if len(b.jail.Ports) > 0 {
		b.conf.Missing = append(b.conf.Missing, fmt.Sprintf("connections to other hosts at its allowed ports %v are not denied", b.jail.Ports))
	}
	return nil
}

// newJail says what the program may read and write: everything but HOME and the like; its view, its HOME and its temporary folder.
func newJail(b *copyBox) (*jail, error) {
	j := &jail{Procs: b.spec.Limits.Procs, Write: []string{b.view, b.tmpDir(), filepath.Join(b.spec.RunDir, "home")}}
	hidden := []string{"/dev", "/home", "/root", "/run/user", "/run/secrets", "/lost+found"}
	if os.Geteuid() == 0 {
		hidden = append(hidden, secretFiles()...)
	}
	for _, p := range append([]string{b.spec.Home}, b.spec.Cover...) {
		if p == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(p); err == nil && real != "/" {
			hidden = append(hidden, real)
		}
	}
	if err := j.readAround("/", hidden); err != nil {
		return nil, err
	}
	for _, p := range append(append([]string{b.spec.RunDir}, alwaysShown()...), append(toolExecs(b.spec.Tools), b.spec.Visible...)...) {
		real, err := filepath.EvalSymlinks(p)
		if err != nil {
			return nil, fmt.Errorf("show %s: %w", p, err)
		}
		j.Read = append(j.Read, real)
	}
	return j, nil
}

// readAround lets everything below dir be read but what is hidden.
func (j *jail) readAround(dir string, hidden []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		if e.Type()&os.ModeSymlink != 0 || slices.Contains(hidden, p) {
			continue // where a link leads is judged there
		}
		if slices.ContainsFunc(hidden, func(h string) bool { return within(p, h) }) {
			if err := j.readAround(p, hidden); err != nil {
				return err
			}
			continue
		}
		j.Read = append(j.Read, p)
	}
	return nil
}

// start starts the guard, which starts the reaper, which starts the program. As root nothing else bounds the number of processes but a control group.
func (b *copyBox) start(c Command, its stdio) (child, error) {
	h, err := startHelper(guardName, its, &syscall.SysProcAttr{Setsid: true})
	if err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 || b.spec.Limits.Memory > 0 {
		b.bound(h.pid)
	}
	if err := h.run(&program{Argv: c.Argv, Env: c.Env, Dir: c.Dir, Jail: b.jail}); err != nil {
		h.w.close()
		<-h.gone
		killSession(h.session)
		return nil, err
	}
	return h, nil
}

// bound puts the guard into a control group; where there is none, it is said what is missing.
func (b *copyBox) bound(pid int) {
	group, err := newControlGroup(b.spec.Limits)
	if err == nil {
		b.group = group
		err = group.add(pid)
	}
	if err == nil {
		return
	}
	if os.Geteuid() == 0 {
		b.conf.Missing = append(b.conf.Missing, noLimit)
	}
	if b.spec.Limits.Memory > 0 {
		b.conf.Missing = append(b.conf.Missing, "a limit on memory")
	}
}
