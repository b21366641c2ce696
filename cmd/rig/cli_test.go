package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/rigwiki/rig/wiki"
	"github.com/rigwiki/rig/wiki/proposal"
)

// TestAsFailure: every error has its exit code, and one that a person can mend says how.
func TestAsFailure(t *testing.T) {
	unwritable := func(err error) error {
		return errors.Join(&proposal.UnwritableError{Err: err}, errors.New("and more"))
	}
	for _, c := range []struct {
		err  error
		code int
		hint string
	}{
		{unwritable(syscall.EACCES), wiki.ExitFailed, "writable for you"},
		{unwritable(syscall.EROFS), wiki.ExitFailed, "mounted read-only"},
		{unwritable(syscall.ENOSPC), wiki.ExitFailed, "make room"},
		{unwritable(syscall.EIO), wiki.ExitFailed, "run the command again"},
		{fmt.Errorf("%w: a is a file", wiki.ErrHome), wiki.ExitFailed, "set RIG_HOME"},
		{wiki.ErrNotAWiki, wiki.ExitNotAWiki, "rig wiki init"},
		{&wiki.ConfigError{File: "c", Msg: "m"}, wiki.ExitConfig, "mend the file"},
		{context.Canceled, wiki.ExitCancelled, ""},
		{errors.New("odd"), wiki.ExitFailed, ""},
	} {
		f := asFailure(c.err)
		if f.code != c.code || !strings.Contains(f.hint, c.hint) || c.hint == "" && f.hint != "" {
			t.Errorf("%v: exit %d, hint %q; want %d, %q", c.err, f.code, f.hint, c.code, c.hint)
		}
	}
}
