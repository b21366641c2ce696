package wiki

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rigwiki/rig/wiki/proposal"
)

// behaviours is the table; its comment says how it is read.
const behaviours = "testdata/hostile/behaviours.txtar"

// TestBehaviours: each hostile behaviour, by a whole ingest in each tier (what holds in A holds in A2), has its verdict, and wiki, HOME and neighbours are byte for byte what they
// were. It runs as whoever runs it; CI runs it as root and as an ordinary user.
func TestBehaviours(t *testing.T) {
	table, err := txtar.ParseFile(behaviours)
	must(t, err)
	got := map[string][][]string{"A": make([][]string, len(table.Files)), "A2": make([][]string, len(table.Files)), "B": make([][]string, len(table.Files))}
	t.Run("in", func(t *testing.T) {
		for tier, layer := range map[string]string{"A": "overlay", "A2": "A2", "B": "copy"} {
			got := got[tier]
			t.Run(tier, func(t *testing.T) {
				t.Parallel()
				v := newVillain(t, tier, layer) // one for all: nothing that it does stays
				for i, f := range table.Files {
					t.Run(f.Name, func(t *testing.T) {
						script, want, _ := strings.Cut(string(f.Data), "\n==\n")
						got[i] = v.play(t, script)
						if wanted := verdictFor(want, tier[:1]); !*updateBehaviours && !slices.Equal(got[i], wanted) {
							t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got[i], "\n\t"), strings.Join(wanted, "\n\t"))
						}
					})
				}
			})
		}
	})
	if !*updateBehaviours || t.Failed() {
		return
	}
	for i := range table.Files {
		script, _, _ := strings.Cut(string(table.Files[i].Data), "\n==\n")
		table.Files[i].Data = []byte(strings.TrimSpace(script) + "\n==\n" + mergeVerdicts(got["A"][i], got["B"][i]))
	}
	must(t, os.WriteFile(behaviours, txtar.Format(table), 0o644))
}

var updateBehaviours = flag.Bool("update-behaviours", false, "write the verdicts that were got into "+behaviours)

// verdictFor are the lines that hold in a tier.
func verdictFor(want, tier string) []string {
	var out []string
	for line := range strings.Lines(want) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, tier+" "); ok {
			line = rest
		} else if strings.HasPrefix(line, "A ") || strings.HasPrefix(line, "B ") {
			continue
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// mergeVerdicts writes two verdicts as one.
func mergeVerdicts(a, b []string) string {
	var s strings.Builder
	for _, line := range a {
		if !slices.Contains(b, line) {
			line = "A " + line
		}
		s.WriteString(line + "\n")
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			s.WriteString("B " + line + "\n")
		}
	}
	return s.String()
}

// A villain is an agent with a script, and what it might harm.
type villain struct {
	tier, layer string
	top         string
	wiki        *Wiki
	host        *Host
}

func newVillain(t *testing.T, tier, layer string) *villain {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w, _, err := Init(filepath.Join(top, "garden"), InitOptions{})
	must(t, err)
	page := func(title string) string {
		return "---\ntype: concept\nsources: [s1]\ningested-at: 2026-11-30\nlast-updated: 2026-11-30\n---\n# " + title + "\n\nThe text of " + title + ".\n"
	}
	for rel, text := range map[string]string{
		"garden/raw/s1.md": "# One\n\nA source.\n", "garden/raw/s2.md": "# Two\n\nAnother.\n", "garden/sources/s1.md": page("One"), "garden/.git/config": "[core]\n",
		"garden/concepts/a.md": page("Apple"), "garden/concepts/b.md": page("Birch"), "garden/concepts/c.md": page("Clover"),
		"garden/entities/x.md": page("Xylem"), "garden/entities/y.md": page("Yarrow"),
		"home/.bashrc": "rc\n", "home/.ssh/id": "KEY\n", "home/.claude/settings.json": "{}", "neighbour/n.md": "theirs\n",
		"rig/adapters/villain/wire": "#!/bin/sh\n", "rig/adapters/villain/run": "", "rig/config.json5": "{/* KEY */}", "rig/cache/sandbox/other/run/secret": "KEY\n",
	} {
		file := filepath.Join(top, rel)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	for _, name := range []string{"run", "wire"} {
		must(t, os.Chmod(filepath.Join(top, "rig/adapters/villain", name), 0o755))
	}
	must(t, os.Symlink(filepath.Join(w.Real, "raw", "s1.md"), filepath.Join(w.Real, "concepts", "abs.md")))
	must(t, os.Symlink("../raw/s2.md", filepath.Join(w.Real, "concepts", "rel.md")))
	must(t, os.Link(filepath.Join(w.Real, "raw", "s2.md"), filepath.Join(w.Real, "concepts", "hard.md")))
	h, err := NewHost(Options{RigHome: filepath.Join(top, "rig"), Env: []string{"HOME=" + filepath.Join(top, "home"), "PATH=/usr/bin:/bin", "MY_SECRET=s"}})
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return &villain{tier, layer, top, w, h}
}

// outside does what the script says that works outside.
func (v *villain) outside(t *testing.T, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		command, ok := strings.CutPrefix(line, "# outside: ")
		if !ok {
			continue
		}
		cmd := exec.Command("/bin/sh", "-ec", command)
		cmd.Dir, cmd.Env = v.wiki.Real, append(v.host.env, "REAL="+v.wiki.Real)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("outside: %s: %v\n%s", command, err, out)
		}
	}
}

// play makes a whole run of a script and returns its verdict.
func (v *villain) play(t *testing.T, script string) []string {
	t.Helper()
	v.outside(t, script)
	must(t, os.WriteFile(filepath.Join(v.top, "rig/adapters/villain/run"), []byte("#!/bin/sh\nno() { if \"$@\" >/dev/null 2>&1; then echo \"$*\" >>concepts/worked.md; fi; }\n"+
		"REAL='"+v.wiki.Real+"'\nexec 2>/dev/null\n"+script+"\nexit 0\n"), 0o755))
	before := v.image(t)
	rec := v.host.Run(t.Context(), Job{Wiki: v.wiki, Op: "ingest", Sources: []string{"raw/s1.md"}, Agent: "villain", Layer: v.layer, Again: true, By: "cli"}, func(u Update) {
		if strings.ContainsFunc(u.Message, unicode.IsControl) || u.Event != nil && strings.ContainsFunc(u.Event.Summary, unicode.IsControl) {
			t.Errorf("told %q %+v", u.Message, u.Event)
		}
	})
	if !strings.Contains(rec.Confinement, "(tier "+v.tier+")") {
		if v.tier != "A2" && strings.Contains(os.Getenv("RIG_REQUIRE"), "sandbox") { // a container's disk cannot hold an upper layer
			t.Fatalf("required, but not had here: %s %s", rec.Confinement, rec.Message)
		}
		t.Skipf("not had here: %s %s", rec.Confinement, rec.Message)
	}
	after := v.image(t)
	for p, was := range before {
		if after[p] != was {
			t.Errorf("%s was %.100q, is %.100q", p, was, after[p])
		}
	}
	for p := range after {
		if _, had := before[p]; !had {
			t.Errorf("%s came to be", p)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(v.top, "rig", "cache", "sandbox", v.wiki.ID, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	return verdict(rec)
}

// image is all that the agent must not change, with kinds, modes, times and bytes.
func (v *villain) image(t *testing.T) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, dir := range []string{"garden", "home", "neighbour", "rig/adapters"} {
		must(t, filepath.WalkDir(filepath.Join(v.top, dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err != nil {
				return err
			}
			m[p] = fi.Mode().String()
			switch {
			case d.Type().IsRegular():
				text, err := os.ReadFile(p)
				m[p] += fi.ModTime().String() + string(text)
				return err
			case d.Type()&fs.ModeSymlink != 0:
				to, err := os.Readlink(p)
				m[p] += to
				return err
			}
			return nil
		}))
	}
	return m
}

// verdict shows what became of a run.
func verdict(rec proposal.Record) []string {
	var out []string
	for _, f := range rec.Files {
		line := f.Kind + " " + shown(f.Path)
		if f.From != "" {
			line += " from " + shown(f.From)
		}
		for _, flag := range f.Flags {
			line += " !" + flag.Rule
		}
		out = append(out, line)
	}
	count := map[string]int{}
	for _, r := range rec.Refused {
		count[r.Rule]++
	}
	for _, r := range rec.Refused {
		if count[r.Rule] <= 20 {
			out = append(out, "refused "+shown(r.Path)+" "+r.Rule)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(count)) {
		if count[rule] > 20 {
			out = append(out, fmt.Sprintf("refused %d %s", count[rule], rule))
		}
	}
	if rec.State != proposal.Proposed {
		out = append(out, "state "+string(rec.State))
	}
	slices.Sort(out)
	return out
}

// shown quotes a path that is not plain.
func shown(p string) string {
	if regexp.MustCompile(`^[ -!#-\[\]-~]+$`).MatchString(p) && p == strings.TrimSpace(p) {
		return p
	}
	return strconv.QuoteToASCII(p)
}

// elsewhere are the behaviours that no script of one run can show, with the tests that do: package folder and function.
func elsewhere() map[int][]string {
	return map[int][]string{
		26: {"sandbox/diff TestZeroContext"}, 39: {"sandbox TestRenameFlags"}, 43: {"sandbox TestHostile"}, 45: {"sandbox TestEnds"}, 46: {"sandbox TestForkBomb"},
		48: {"sandbox TestDenied"}, 49: {"sandbox TestDenied"}, 50: {"sandbox TestDenied"}, 52: {"sandbox TestKeepBack"}, 53: {"sandbox TestKeepBack"},
		57: {"sandbox TestDenied"}, 58: {"sandbox TestDenied"}, 59: {"sandbox TestDenied", "sandbox TestFilter"}, 60: {"sandbox TestNetwork"}, 61: {"sandbox TestNetwork", "sandbox TestPublic"},
		62: {"sandbox TestDenied", "sandbox TestFilter"}, 63: {"sandbox TestFloods", "cmd/rig TestFlood"}, 65: {"sandbox TestEnds"},
		71: {"sandbox TestBase", "wiki/proposal TestMovedOn"}, 72: {"wiki/proposal TestNoEditOfTheUserIsLost"}, 73: {"sandbox TestSideBySide", "wiki/proposal TestMovedOn"},
		74: {"sandbox TestServerKilled", "sandbox TestSoak"}, 77: {"sandbox TestProxyIsPrivate"}, 78: {"sandbox TestForeign", "sandbox TestOwner"}, 80: {"sandbox TestBase", "lsp TestTypingMeanwhile"},
	}
}

// TestBehavioursAreWhole: each of the 82 is in the table or in a test that exists.
func TestBehavioursAreWhole(t *testing.T) {
	table, err := txtar.ParseFile(behaviours)
	must(t, err)
	held := map[int]bool{}
	for _, f := range table.Files {
		var n int
		if _, err := fmt.Sscan(f.Name, &n); err != nil {
			t.Errorf("%q has no number", f.Name)
		}
		held[n] = true
	}
	for n, tests := range elsewhere() {
		held[n] = true
		for _, test := range tests {
			dir, name, _ := strings.Cut(test, " ")
			if !hasTest(t, filepath.Join("..", dir), name) {
				t.Errorf("%d: no %s in %s", n, name, dir)
			}
		}
	}
	for n := 1; n <= 82; n++ {
		if !held[n] {
			t.Errorf("no test holds behaviour %d", n)
		}
	}
}

// hasTest tells whether a folder's tests have a function.
func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	must(t, err)
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		must(t, err)
		return strings.Contains(string(text), "\nfunc "+name+"(")
	})
}
