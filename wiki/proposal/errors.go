package proposal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// UnwritableError says in the system's words why a page could not be written; the name of the temporary file beside it tells nobody anything.
type UnwritableError struct{ Err error }

func (e *UnwritableError) Error() string { return "cannot be written: " + e.Err.Error() }

// Unwrap gives the system's error.
func (e *UnwritableError) Unwrap() error { return e.Err }

// unwritable is err, as an *UnwritableError where it is the system's word about a file.
func unwritable(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &l):
		return &UnwritableError{l.Err}
	case errors.As(err, &p):
		return &UnwritableError{p.Err}
	}
	return err
}

// MovedError names the pages that are not as the plan saw them. It is an ErrMoved.
type MovedError struct{ Paths []string }

func (e *MovedError) Error() string {
	return strings.Join(e.Paths, ", ") + ": changed since the plan was made; nothing was written"
}

// Is makes errors.Is(err, ErrMoved) true.
func (e *MovedError) Is(target error) bool { return target == ErrMoved }
