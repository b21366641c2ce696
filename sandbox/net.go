package sandbox

import (
	"context"
	"net"
	"net/netip"
)

// A Dialer is how the proxy finds and reaches the hosts that a program may talk to. The zero value asks the system.
type Dialer struct {
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
}

// served is what we serve to a program over the network.
type served struct{}

func (*served) close() error                      { return nil }
func (*served) environment(env []string) []string { return env }
