// Report reads `go test -json` from the files named, or from its input, and prints what a person wants to know of it:
// a line for each package, the output of what failed, why tests were skipped, and last the count.
//
//	go test -json ./... | go run .ci/report.go
//
// It exits 1 where a test, a package or a build failed, or where no test ran. Where a test ended more than once, as after a second try, its last end
// counts. With -again it prints the tests worth a second try instead, a line each: the package, a tab, the pattern for -run.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// An event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // seconds
}

// A key names a test, or with an empty test its package, of one input.
type key struct {
	input     int
	pkg, test string
}

// A report is what was seen so far.
type report struct {
	w       io.Writer
	input   int              // counts the inputs: the same test may run in each
	output  map[key][]string // of what has not ended yet
	ends    map[key]string   // pass, fail or skip
	reasons map[key]string   // why a test was skipped
	crashed bool             // a program ended early or raced: what it did not run is missing
}

func main() {
	r := &report{w: os.Stdout, output: map[key][]string{}, ends: map[key]string{}, reasons: map[key]string{}}
	inputs := []io.Reader{os.Stdin}
	names := os.Args[1:]
	again := len(names) > 0 && names[0] == "-again"
	if again {
		names = names[1:]
	}
	if len(names) > 0 {
		inputs, r.w = nil, io.Discard // each was shown when it ran: only the count is wanted
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				fmt.Fprintln(os.Stderr, "report:", err)
				os.Exit(2)
			}
			inputs = append(inputs, f)
		}
	}
	for i, in := range inputs {
		r.input = i
		if err := r.read(in); err != nil {
			fmt.Fprintln(os.Stderr, "report:", err)
			os.Exit(2)
		}
	}
	if again {
		os.Exit(r.again())
	}
	os.Exit(r.close())
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil {
				r.add(e)
			} else {
				fmt.Fprint(r.w, line) // go itself speaks, as when a module is missing
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) add(e event) {
	k := key{r.input, e.Package, e.Test}
	switch e.Action {
	case "output":
		r.output[k] = append(r.output[k], e.Output)
		r.crashed = r.crashed || crash(e.Output)
		return
	case "build-output":
		fmt.Fprint(r.w, e.Output)
		return
	case "build-fail":
		r.ends[key{r.input, "build of " + e.ImportPath, ""}] = "fail"
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	r.ends[k] = e.Action
	if e.Test == "" {
		r.endPackage(k, e)
	} else {
		r.endTest(k, e.Action)
	}
	delete(r.output, k)
}

// crash tells a line after which the program ran no further test, or should not be believed.
func crash(line string) bool {
	for _, sign := range []string{"panic: ", "fatal error: ", "WARNING: DATA RACE", "*** Test killed", "signal: "} {
		if strings.HasPrefix(line, sign) {
			return true
		}
	}
	return false
}

func (r *report) endTest(k key, end string) {
	switch end {
	case "fail":
		fmt.Fprint(r.w, strings.Join(r.output[k], ""))
	case "skip":
		r.reasons[k] = reason(r.output[k])
	}
}

func (r *report) endPackage(k key, e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(r.w, "ok   %s %.1fs\n", e.Package, e.Elapsed)
	case "fail":
		fmt.Fprint(r.w, strings.Join(r.output[k], ""))
		// A test that never ended was running when the package died: its output tells why.
		for other, out := range r.output {
			if other.input == k.input && other.pkg == k.pkg && other.test != "" {
				fmt.Fprint(r.w, strings.Join(out, ""))
			}
		}
	}
}

// reason is what the test said where it skipped, without the place in the source.
func reason(out []string) string {
	for _, line := range out {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") || line == "" {
			continue
		}
		if _, said, ok := strings.Cut(line, ".go:"); ok {
			if _, said, ok := strings.Cut(said, ": "); ok {
				return said
			}
		}
		return line
	}
	return "no reason given"
}

func (r *report) close() int {
	var passed, failed, skipped int
	var broken []string
	reasons := map[string]int{}
	for k, end := range r.ends {
		switch {
		case k.test == "":
			if end == "fail" {
				broken = append(broken, k.pkg)
			}
		case end == "pass":
			passed++
		case end == "fail":
			failed++
		case end == "skip":
			skipped++
			reasons[r.reasons[k]]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(r.w, "skip %d: %s\n", reasons[why], why)
	}
	slices.Sort(broken)
	for _, what := range broken {
		fmt.Printf("FAIL %s\n", what)
	}
	if failed == 0 {
		failed = len(broken) // a package can fail without a test that does: it must show in the count
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 || passed == 0 {
		return 1
	}
	return 0
}

// maxAgain is how many tests may be tried again: where more fail, it is no accident.
const maxAgain = 5

// again prints the innermost tests that failed. It exits 1 where a second try would prove nothing: none failed, too many did, a program crashed,
// or a package failed without a test that did.
func (r *report) again() int {
	var leaves []key
	failed := map[string]bool{} // packages of which a test failed
	for k, end := range r.ends {
		if end != "fail" || k.test == "" {
			continue
		}
		failed[k.pkg] = true
		if !r.failsBelow(k) {
			leaves = append(leaves, k)
		}
	}
	for k, end := range r.ends {
		if k.test == "" && end == "fail" && !failed[k.pkg] {
			return 1
		}
	}
	if r.crashed || len(leaves) == 0 || len(leaves) > maxAgain {
		return 1
	}
	slices.SortFunc(leaves, func(a, b key) int { return strings.Compare(a.pkg+a.test, b.pkg+b.test) })
	for _, k := range leaves {
		var pattern []string
		for part := range strings.SplitSeq(k.test, "/") {
			pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
		}
		fmt.Printf("%s\t%s\n", k.pkg, strings.Join(pattern, "/"))
	}
	return 0
}

// failsBelow tells whether a subtest of k failed: it is the one to try again then.
func (r *report) failsBelow(k key) bool {
	for other, end := range r.ends {
		if end == "fail" && other.pkg == k.pkg && strings.HasPrefix(other.test, k.test+"/") {
			return true
		}
	}
	return false
}
