//go:build unix

package index

import "golang.org/x/sys/unix"

func makeFIFO(file string) error { return unix.Mkfifo(file, 0o600) }
