// Report reads `go test -json` from the files named, or from its input, and prints what a person wants to know of it:
// a line for each package, the output of what failed, why tests were skipped, and last the count.
//
//	go test -json ./... | go run .ci/report.go
//
// It exits 1 where a test, a package or a build failed, or where no test ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// An event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // seconds
}

// A key names a test, or with an empty test its package.
type key struct{ pkg, test string }

// A report is what was seen so far.
type report struct {
	w                       io.Writer
	output                  map[key][]string // of what has not ended yet
	passed, failed, skipped int
	broken                  []string // packages that failed, and builds
	reasons                 map[string]int
}

func main() {
	r := &report{w: os.Stdout, output: map[key][]string{}, reasons: map[string]int{}}
	inputs := []io.Reader{os.Stdin}
	if names := os.Args[1:]; len(names) > 0 {
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
	for _, in := range inputs {
		if err := r.read(in); err != nil {
			fmt.Fprintln(os.Stderr, "report:", err)
			os.Exit(2)
		}
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
	k := key{e.Package, e.Test}
	switch e.Action {
	case "output":
		r.output[k] = append(r.output[k], e.Output)
		return
	case "build-output":
		fmt.Fprint(r.w, e.Output)
		return
	case "build-fail":
		r.broken = append(r.broken, "build of "+e.ImportPath)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	if e.Test == "" {
		r.endPackage(e)
	} else {
		r.endTest(e)
	}
	delete(r.output, k)
}

func (r *report) endTest(e event) {
	out := r.output[key{e.Package, e.Test}]
	switch e.Action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		fmt.Fprint(r.w, strings.Join(out, ""))
	case "skip":
		r.skipped++
		r.reasons[reason(out)]++
	}
}

func (r *report) endPackage(e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(r.w, "ok   %s %.1fs\n", e.Package, e.Elapsed)
	case "fail":
		r.broken = append(r.broken, e.Package)
		fmt.Fprint(r.w, strings.Join(r.output[key{e.Package, ""}], ""))
		// A test that never ended was running when the package died: its output tells why.
		for k, out := range r.output {
			if k.pkg == e.Package && k.test != "" {
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
	for _, why := range slices.Sorted(maps.Keys(r.reasons)) {
		fmt.Fprintf(r.w, "skip %d: %s\n", r.reasons[why], why)
	}
	for _, what := range r.broken {
		fmt.Printf("FAIL %s\n", what)
	}
	failed := r.failed
	if failed == 0 && len(r.broken) > 0 {
		failed = len(r.broken) // a package can fail without a test that does: it must show in the count
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", r.passed, failed, r.skipped)
	if failed > 0 || r.passed == 0 {
		return 1
	}
	return 0
}
