package sandbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// A seatbelt is what holds a program on macOS (tier C): a profile of sandbox-exec(1). Apple calls the tool deprecated and documents the language nowhere; it is
// what Chromium and the vendors of agents use. Untested on a Mac: a profile that the system does not take fails the real try, and the tier is not had.
type seatbelt struct {
	Write  []string // folders that may be written; real paths
	Hidden []string // folders whose files are not read
	Shown  []string // what of them is, all the same
	Ports  []uint16 // TCP ports of the loopback interface that may be connected to
}

func (s *seatbelt) addPort(addr string) {
	if ap, err := netip.ParseAddrPort(addr); err == nil && !slices.Contains(s.Ports, ap.Port()) {
		s.Ports = append(s.Ports, ap.Port())
	}
}

// argv is the command line that starts a program in the seatbelt. Paths are parameters: no character of theirs can end a string of the profile.
func (s *seatbelt) argv(program []string) []string {
	argv := []string{"/usr/bin/sandbox-exec", "-p", s.profile()}
	for _, l := range s.lists() {
		for i, p := range l.paths {
			argv = append(argv, fmt.Sprintf("-D%s%d=%s", l.name, i, p))
		}
	}
	return append(append(argv, "--"), program...)
}

type namedPaths struct {
	name  string
	paths []string
}

func (s *seatbelt) lists() []namedPaths {
	return []namedPaths{{"WRITE", s.Write}, {"HIDDEN", s.Hidden}, {"SHOWN", s.Shown}}
}

// profile is the text. Of two rules that match the last one counts.
func (s *seatbelt) profile() string {
	subpaths := map[string]string{}
	for _, l := range s.lists() {
		for i := range l.paths {
			subpaths[l.name] += fmt.Sprintf(` (subpath (param "%s%d"))`, l.name, i)
		}
	}
	rules := []string{
		"(version 1)",
		"(allow default)",
		"; files: what is in a hidden folder may be looked up, since paths lead through it, but not read",
		"(deny file-write*)",
		"(deny file-link)",
		"(allow file-write* file-link" + subpaths["WRITE"] + ")",
		`(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))`,
	}
	if len(s.Hidden) > 0 {
		rules = append(rules, "(deny file-read-data file-read-xattr"+subpaths["HIDDEN"]+")")
	}
	if len(s.Shown) > 0 {
		rules = append(rules, "(allow file-read*"+subpaths["SHOWN"]+")")
	}
	rules = append(rules, "(allow file-read*"+subpaths["WRITE"]+")",
		"; network: unix sockets lead to services of the host and are in it",
		"(deny network*)")
	for _, p := range s.Ports {
		rules = append(rules, fmt.Sprintf(`(allow network-outbound (remote ip "localhost:%d"))`, p))
	}
	rules = append(rules,
		"; other programs: none may be told to do what this one may not",
		"(deny appleevent-send)",
		"(deny lsopen)",
		"(deny job-creation)",
		"(deny signal)",
		"(allow signal (target same-sandbox))")
	return strings.Join(rules, "\n") + "\n"
}
