package proposal

import (
	"errors"
	"fmt"
	"strings"
)

// The errors that a caller tells apart with errors.Is.
var (
	// ErrNoRun: there is no run of that id.
	ErrNoRun = errors.New("no such run")
	// ErrNothing: nothing that was asked for waits, or nothing is left to undo.
	ErrNothing = errors.New("nothing to do")
	// ErrUnknown: the selection names a page or hunk that the proposal does not have.
	ErrUnknown = errors.New("not in this proposal")
	// ErrMoved: a page is not as the plan saw it; nothing of the plan was written.
	ErrMoved = errors.New("the page moved on")
	// ErrDecided: what the plan takes was decided meanwhile, by another window or process.
	ErrDecided = errors.New("decided meanwhile")
	// ErrLink: the path goes through a link that cannot be followed safely.
	ErrLink = errors.New("link")
)

// BelowError: what was selected stands on proposals that are not decided yet. Nothing is planned.
type BelowError struct {
	Run   string   // that was asked for
	Below []Record // in the order in which they are to be decided, none twice
}

func (e *BelowError) Error() string {
	names := make([]string, len(e.Below))
	for i, rec := range e.Below {
		names[i] = fmt.Sprintf("%s (%s)", rec.Run, rec.Title)
	}
	return fmt.Sprintf("%s stands on %s, which waits: decide that first", e.Run, strings.Join(names, ", "))
}

// MovedError names the pages that are not as the plan saw them. It is an ErrMoved.
type MovedError struct{ Paths []string }

func (e *MovedError) Error() string {
	return strings.Join(e.Paths, ", ") + ": changed since the plan was made; nothing was written"
}

// Is makes errors.Is(err, ErrMoved) true.
func (e *MovedError) Is(target error) bool { return target == ErrMoved }
