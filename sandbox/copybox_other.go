//go:build !linux

package sandbox

// jail: there is none on this system yet.
type jail struct{}

func (b *copyBox) confine() error {
	b.conf = Confinement{Layer: "copy", Tier: "D", Network: "open", Missing: []string{
		"nothing keeps the program from writing elsewhere", "nothing keeps it from reading other files", "its network is open",
	}}
	return nil
}
