//go:build !unix

package index

import "errors"

func makeFIFO(string) error { return errors.ErrUnsupported }

func cpuSeconds() float64 { return 0 }
