//go:build !linux && !darwin

package sandbox

// jail: there is none on this system.
type jail struct{}

// wrapped is the command line as it is.
func wrapped(_ *jail, argv []string) []string { return argv }

// leftovers are not looked for.
func leftovers(string) []int { return nil }

func (b *copyBox) confine() error {
	b.conf = unconfinedCopy()
	return nil
}
