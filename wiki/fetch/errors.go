package fetch

import (
	"errors"
	"fmt"
)

// What can be wrong with a fetch, for errors.Is. The messages name the address and what happened.
var (
	ErrAddress  = errors.New("not an address that can be fetched") // the user's own mistake: a usage error
	ErrBlocked  = errors.New("address is not public")
	ErrStatus   = errors.New("the server refused")
	ErrType     = errors.New("type is not taken")
	ErrTooLarge = errors.New("too large")
	ErrHops     = errors.New("too many redirects")
	ErrEmpty    = errors.New("no readable text")
	ErrTimeout  = errors.New("time limit")
)

// Error is a fetch that failed, at one hop.
type Error struct {
	Kind error  // one of the errors above, or what the network said
	URL  string // of the hop
	Hop  int    // from 1; redirects count
	Why  string // a clause
	Hint string // what to do, "" for nothing

	Status int // of HTTP, 0 where none came
}

func (e *Error) Error() string {
	at := ""
	if e.Hop > 1 {
		at = fmt.Sprintf(" (hop %d)", e.Hop)
	}
	return fmt.Sprintf("fetch %s%s: %s", e.URL, at, e.Why)
}

func (e *Error) Unwrap() error { return e.Kind }
