package main

import (
	"strings"

	"github.com/schollz/progressbar/v3"
)

// bar is the progress bar of a batch on a terminal. A nil one does nothing.
type bar struct{ *progressbar.ProgressBar }

// tell shows a run's line beside the bar; false where there is no bar to show it.
func (b *bar) tell(line string) bool {
	if b == nil {
		return false
	}
	b.Describe(visible(oneLine(line, 50)))
	return true
}

// clear makes room for what is printed; the next line brings the bar back.
func (b *bar) clear() {
	if b != nil {
		_ = b.Clear() // a bar that cannot be drawn is no reason to stop
	}
}

func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// barFor is a bar where there are several runs and somebody watches.
func (a *app) barFor(jobs int) *bar {
	if jobs < 2 || a.flags.json != "" || a.flags.verbose || !terminal(a.err) {
		return nil
	}
	return &bar{progressbar.NewOptions(jobs, progressbar.OptionSetWriter(a.err), progressbar.OptionShowCount(), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())}
}
