//go:build !linux

package proposal

import "os"

const nonblock = 0

// syncFolder does nothing: the pages themselves are synced.
func syncFolder(*os.File) {}

// exchange is not possible here.
func (d *disk) exchange(a, b string) (ok bool, err error) { return false, nil }

// renameNew is not possible here.
func (d *disk) renameNew(from, to string) (ok bool, err error) { return false, nil }
