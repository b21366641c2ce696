//go:build linux

package sandbox

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rigwiki/rig/sandbox/diff"
)

// BenchmarkCycle is a whole run, with the diff of what it changed, beside what else could do it, in turns on the same folder:
//
//	bare        the program alone, in a copy made once
//	floor       testdata/floor.c: namespaces, tmpfs, overlay, the program, a walk over what it wrote; nothing else
//	ours        the overlay with its whole lock-down, HOME and the proxy
//	copy        the copy layer
//	plain       cp -a, the program, diff -urN, rm -rf
//	plain-tmpfs the same with the copy in memory
//
// It reports of each the median (-ms), the least (-least-ms) and the processor time of the least (-cpu-ms), and the ratios of medians that
// are promised (-least: of the least, which is what counts on a machine with other work): plain/ours, plain-tmpfs/ours, ours/floor, ours-bare (ms), ours/1st-size (this size over the first one, same changes),
// read-diff-page (ms: reading and printing one changed page). Slow procedures have three rounds at most.
// RIG_BENCH_PAGES lists the sizes ("1000,10000,100000").
//
// Without cgo, as the product is built: the C library's start costs a helper a millisecond.
//
//	CGO_ENABLED=0 RIG_BENCH_PAGES=1000,10000 go test ./sandbox -run '^$' -bench Cycle -benchtime 15x
func BenchmarkCycle(b *testing.B) {
	floor := buildFloor(b)
	first := map[int]time.Duration{}
	for _, size := range strings.Split(cmp.Or(os.Getenv("RIG_BENCH_PAGES"), "1000"), ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		t := &track{pages: n, root: pages(b, n), floor: floor}
		for _, k := range []int{1, 10} {
			b.Run(fmt.Sprintf("pages=%d/changes=%d", n, k), func(b *testing.B) {
				t.changes = k
				all := t.race(b)
				ours := all["ours"].median()
				if first[k] == 0 {
					first[k] = ours
				}
				b.ReportMetric(float64(ours)/float64(first[k]), "ours/1st-size")
			})
		}
	}
}

// pages lays out n pages of about 4 KB in folders of 64.
func pages(b *testing.B, n int) string {
	b.Helper()
	root := filepath.Join(b.TempDir(), "wiki")
	text := []byte(strings.Repeat("A line of a page, with a [[link]] in it and some words more.\n", 67))
	for i := range n {
		d := filepath.Join(root, "pages", strconv.Itoa(i/64))
		if i%64 == 0 {
			if err := os.MkdirAll(d, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("p%d.md", i)), text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// edits is a program that changes k pages.
func edits(k int) string {
	return fmt.Sprintf(`i=0; while [ $i -lt %d ]; do echo changed >>pages/$i/p$((i*64)).md; i=$((i+1)); done`, k)
}

// buildFloor compiles the C program, "" where that cannot be.
func buildFloor(b *testing.B) string {
	b.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		b.Logf("no floor: %v", err)
		return ""
	}
	floor := filepath.Join(b.TempDir(), "floor")
	if out, err := exec.Command(gcc, "-O2", "-o", floor, "testdata/floor.c").CombinedOutput(); err != nil {
		b.Fatalf("floor: %v\n%s", err, out)
	}
	return floor
}

// A track is what the procedures are timed on.
type track struct {
	pages, changes int
	root           string
	floor          string // its program
	bare           string // the copy for the program alone
	shm            string // a folder in memory, "" for none
	reading        []time.Duration
}

// cost is what the rounds of one procedure took.
type cost struct{ wall, cpu []time.Duration }

func (c *cost) median() time.Duration {
	s := slices.Sorted(slices.Values(c.wall))
	return s[len(s)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// race runs all procedures in turns and reports them.
func (t *track) race(b *testing.B) map[string]*cost {
	t.reading, t.bare, t.shm = nil, b.TempDir(), ""
	shell(b, t.bare, "cp -a "+t.root+"/. .")
	if shm, err := os.MkdirTemp("/dev/shm", "rig-bench-"); err == nil {
		t.shm = shm
		defer os.RemoveAll(shm)
	}
	table := t.procedures()
	all := map[string]*cost{}
	for round := 0; b.Loop(); round++ {
		for i := range table {
			p := table[(i+round)%len(table)] // none is always the one after the slowest
			c := all[p.name]
			if c == nil {
				c = &cost{}
				all[p.name] = c
			}
			if p.most > 0 && len(c.wall) == p.most {
				continue
			}
			cpu, start := spent(), time.Now()
			p.run(b)
			c.wall, c.cpu = append(c.wall, time.Since(start)), append(c.cpu, spent()-cpu)
		}
	}
	t.report(b, all)
	return all
}

// procedure is one row; most is how often it is run at most, 0 for each round.
type procedure struct {
	name string
	most int
	run  func(b *testing.B)
}

func (t *track) procedures() []procedure {
	most := 0
	if t.pages > 1000 {
		most = 3
	}
	plain := func(in func(b *testing.B) string) func(b *testing.B) {
		return func(b *testing.B) {
			shell(b, in(b), "cp -a "+t.root+" view; cd view; "+edits(t.changes)+"; cd ..; diff -urN "+t.root+" view >out; rm -rf view out")
		}
	}
	list := []procedure{
		{"bare", 0, func(b *testing.B) { shell(b, t.bare, edits(t.changes)) }},
		{"ours", 0, func(b *testing.B) { t.cycle(b, Overlay(OverlayOptions{})) }},
		{"copy", most, func(b *testing.B) { t.cycle(b, Copy(CopyOptions{})) }},
		{"plain", most, plain(func(b *testing.B) string { return filepath.Dir(t.root) })},
	}
	if t.shm != "" {
		list = append(list, procedure{"plain-tmpfs", most, plain(func(*testing.B) string { return t.shm })})
	}
	if t.floor != "" {
		list = append(list, procedure{"floor", 0, t.runFloor})
	}
	return list
}

// report tells the figures of each procedure and the promised ratios.
func (t *track) report(b *testing.B, all map[string]*cost) {
	b.ReportMetric(0, "ns/op") // holds all procedures, so it says nothing
	for name, c := range all {
		least := slices.Index(c.wall, slices.Min(c.wall))
		b.ReportMetric(ms(c.median()), name+"-ms")
		b.ReportMetric(ms(c.wall[least]), name+"-least-ms")
		b.ReportMetric(ms(c.cpu[least]), name+"-cpu-ms")
	}
	for _, r := range [][2]string{{"plain", "ours"}, {"plain-tmpfs", "ours"}, {"ours", "floor"}} {
		if over, under := all[r[0]], all[r[1]]; over != nil && under != nil {
			b.ReportMetric(float64(over.median())/float64(under.median()), r[0]+"/"+r[1])
			b.ReportMetric(float64(slices.Min(over.wall))/float64(slices.Min(under.wall)), r[0]+"/"+r[1]+"-least")
		}
	}
	b.ReportMetric(ms(all["ours"].median()-all["bare"].median()), "ours-bare-ms")
	b.ReportMetric(ms((&cost{wall: t.reading}).median())/float64(t.changes), "read-diff-page-ms")
}

// BenchmarkReadPage reads and prints one changed page of 4 KB, again and again; in BenchmarkCycle, where each reading is the first, it is read-diff-page-ms.
func BenchmarkReadPage(b *testing.B) {
	root, run := pages(b, 64), b.TempDir()
	box, err := Overlay(OverlayOptions{}).Open(b.Context(), Spec{Root: root, RunDir: run})
	if err != nil {
		b.Skip("not had here:", err)
	}
	defer box.Close()
	if e, err := box.Run(b.Context(), sh(edits(1))); err != nil || e.Code != 0 {
		b.Fatal(e, err)
	}
	cpu := spent()
	for b.Loop() {
		printChanges(b, box, 1)
	}
	b.ReportMetric(ms(spent()-cpu)/float64(b.N), "cpu-ms/op")
}

// printChanges reads what a program changed and prints the diff.
func printChanges(b *testing.B, box Box, n int) {
	ch, err := box.Changes(b.Context())
	if err != nil || len(ch.List) != n {
		b.Fatal(len(ch.List), err)
	}
	var files []diff.FileDiff
	for _, c := range ch.List {
		files = append(files, diff.FileDiff{Path: c.Path, Kind: diff.Edit, Old: c.Base, New: c.New})
	}
	if err := diff.Print(io.Discard, files); err != nil {
		b.Fatal(err)
	}
}

// spent is the processor time of this process and of those that it waited for.
func spent() time.Duration {
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

func shell(b *testing.B, dir, script string) {
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
}

func (t *track) runFloor(b *testing.B) {
	stage, err := os.MkdirTemp(filepath.Dir(t.root), "stage")
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(stage)
	out, err := exec.Command(t.floor, t.root, stage, edits(t.changes)).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != strconv.Itoa(t.changes) {
		b.Fatal(err, string(out))
	}
}

// cycle is one run with a layer: HOME with a state folder, a host allowed, the diff printed.
func (t *track) cycle(b *testing.B, l Layer) {
	top, err := os.MkdirTemp(filepath.Dir(t.root), "run")
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(top)
	run, home := filepath.Join(top, "run"), filepath.Join(top, "home")
	for _, d := range []string{run, home, filepath.Join(home, ".agent")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			b.Fatal(err)
		}
		defer os.Remove(d)
	}
	box, err := l.Open(b.Context(), Spec{Root: t.root, RunDir: run, Home: home, State: []string{".agent"}, Network: Network{Hosts: []string{"api.example.com"}}})
	if err != nil {
		b.Fatal(err)
	}
	if e, err := box.Run(b.Context(), sh(edits(t.changes))); err != nil || e.Code != 0 {
		b.Fatal(e, err)
	}
	start := time.Now()
	printChanges(b, box, t.changes)
	if l.Name() == "overlay" {
		t.reading = append(t.reading, time.Since(start))
	}
	if err := box.Close(); err != nil {
		b.Fatal(err)
	}
}
