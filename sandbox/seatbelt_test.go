package sandbox

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSeatbelt compares the profile with the one that was read and thought about; no Mac has run it.
func TestSeatbelt(t *testing.T) {
	s := &seatbelt{Write: []string{"/private/run/view", "/private/run/tmp"}, Hidden: []string{"/Users/ada"}, Shown: []string{"/Users/ada/.local/bin/agent", `/Users/ada/o"d\d)`}}
	s.addPort("127.0.0.1:8123")
	s.addPort("127.0.0.1:8123")
	want, err := os.ReadFile("testdata/seatbelt.sb")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.profile(); got != string(want) {
		t.Errorf("got\n%s", got)
	}
	argv := s.argv([]string{"/bin/agent", "-p"})
	if tail := argv[3:]; !slices.Equal(tail, []string{"-DWRITE0=/private/run/view", "-DWRITE1=/private/run/tmp", "-DHIDDEN0=/Users/ada", "-DSHOWN0=/Users/ada/.local/bin/agent",
		`-DSHOWN1=/Users/ada/o"d\d)`, "--", "/bin/agent", "-p"}) {
		t.Errorf("%q", tail)
	}
	if depth := strings.Count(argv[2], "(") - strings.Count(argv[2], ")"); depth != 0 {
		t.Errorf("%d parentheses are open", depth)
	}
}
