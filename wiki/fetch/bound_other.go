//go:build !linux && !darwin

package fetch

import "runtime/debug"

// BoundProcess bounds the stack of the process; memory softly, since the system has no bound to set here.
func BoundProcess(int) error {
	debug.SetMaxStack(64 << 20)
	debug.SetMemoryLimit(512 << 20)
	return nil
}
