//go:build !linux

package sandbox

import (
	"errors"
	"os"
)

func reflink(_, _ *os.File) error { return errors.ErrUnsupported }
