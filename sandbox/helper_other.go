//go:build !linux && !darwin

package sandbox

// helpers is empty: no helper is needed on this system.
func helpers() map[string]func() { return nil }
