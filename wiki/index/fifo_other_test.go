//go:build !unix

package index

import "errors"

func makeFIFO(string) error { return errors.ErrUnsupported }
