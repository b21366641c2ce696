package sandbox

// OverlayOptions says how an overlay is made.
type OverlayOptions struct {
	Upper  Upper  // where what the program writes is kept
	Dialer Dialer // how the proxy reaches hosts; the zero value is the system's way
}

// Upper is where an overlay keeps what the program writes.
type Upper int

// The uppers. InMemory is a tmpfs of a fixed size: full, it says so to the program, and nothing of it outlives a crash. OnDisk (tier A2) is a folder of
// Spec.RunDir, for machines short of memory: nothing bounds it but a look at it every so often, which ends a run that wrote too much ([Overfull]); after a crash
// it is the caller's to remove.
const (
	InMemory Upper = iota
	OnDisk
)
