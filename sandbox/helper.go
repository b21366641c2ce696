package sandbox

import (
	"os"
	"path/filepath"
)

// Main does the work of a helper process and returns true where this process was started as one; the caller then returns from main at once.
// Else it returns false and has done nothing. The program's main, and every TestMain of a package that opens boxes, calls it before anything else:
// helpers are this executable started again under another name (argv[0]); what they are to do comes over an inherited socket, never by
// argument or environment.
func Main() bool {
	work, ok := helpers()[filepath.Base(os.Args[0])]
	if ok {
		work()
	}
	return ok
}
