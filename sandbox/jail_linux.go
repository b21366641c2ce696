package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// jail is what a program on a copy is held by.
type jail struct {
	Read, Write []string // paths, files or folders
	Ports       []uint16 // TCP ports that may be connected to
	OpenNet     bool     // the kernel cannot restrict the network
	Procs       int
}

func (j *jail) addPort(addr string) {
	if ap, err := netip.ParseAddrPort(addr); err == nil && !slices.Contains(j.Ports, ap.Port()) {
		j.Ports = append(j.Ports, ap.Port())
	}
}

// startJailed starts the second stage, which enters the jail and becomes the program. The reaper stays outside: in one domain with it the
// program could end it and go on unseen.
func startJailed(p *program, attr *os.ProcAttr) (int, error) {
	specR, specW, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer specW.Close()
	saidR, saidW, err := os.Pipe()
	if err != nil {
		specR.Close()
		return 0, err
	}
	defer saidR.Close()
	env := attr.Env
	attr.Env = []string{}
	attr.Files = append(attr.Files, specR, saidW)
	pid, err := start("/proc/self/exe", []string{execName}, attr)
	specR.Close()
	saidW.Close()
	if err != nil {
		return 0, err
	}
	if err := json.NewEncoder(specW).Encode(program{Argv: p.Argv, Env: env, Dir: p.Dir, Jail: p.Jail}); err != nil {
		return 0, err
	}
	specW.Close()
	// the pipe closes as the program takes over; before that, what it holds is why not
	if said, err := io.ReadAll(saidR); err != nil || len(said) > 0 {
		return 0, fmt.Errorf("%s%w", said, err)
	}
	return pid, nil
}

// execMain is the second stage.
func execMain() {
	said := os.NewFile(4, "said")
	dropInherited()
	err := execJailed()
	fmt.Fprint(said, err)
	syscall.Exit(1)
}

func execJailed() error {
	spec := os.NewFile(3, "spec")
	var p program
	if err := json.NewDecoder(spec).Decode(&p); err != nil || p.Jail == nil {
		return fmt.Errorf("this is a helper of package sandbox, not a command")
	}
	spec.Close()
	if err := limitProcesses(tasksOf(os.Getuid()) + p.Jail.Procs); err != nil {
		return err
	}
	offerFirst()
	if os.Geteuid() == 0 {
		if err := dropPrivileges(os.Getuid(), os.Getgid()); err != nil {
			return err
		}
	} else if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := p.Jail.enter(); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	wall := sharedNet
	if p.Jail.OpenNet {
		wall = ownNet
	}
	if err := loadFilter(allThreads, wall); err != nil {
		return err
	}
	err := syscall.Exec(p.Argv[0], p.Argv, p.Env)
	return &os.PathError{Op: "exec", Path: p.Argv[0], Err: err}
}

// enter restricts this process for good: files, TCP, signals and abstract sockets, in one set of rules.
func (j *jail) enter() error {
	var rules []landlock.Rule
	for _, list := range []struct {
		paths       []string
		dirs, files func(...string) landlock.FSRule
	}{{j.Read, landlock.RODirs, landlock.ROFiles}, {j.Write, func(p ...string) landlock.FSRule { return landlock.RWDirs(p...).WithRefer() }, landlock.RWFiles}} {
		for _, p := range list.paths {
			fi, err := os.Stat(p)
			if err != nil {
				continue // gone since it was listed: nothing to allow
			}
			rule := list.files
			if fi.IsDir() {
				rule = list.dirs
			}
			rules = append(rules, rule(p).IgnoreIfMissing())
		}
	}
	for _, d := range devices() {
		rules = append(rules, landlock.RWFiles("/dev/"+d).WithIoctlDev().IgnoreIfMissing())
	}
	for _, port := range j.Ports {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	c := landlock.V7.BestEffort()
	if j.OpenNet {
		return c.RestrictPaths(rules...)
	}
	return c.Restrict(rules...)
}
