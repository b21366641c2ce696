//go:build linux || darwin

package sandbox

import (
	"net"
	"strings"
)

// confineNet serves the allowed hosts through a proxy on our loopback interface. Its password is the program's alone.
func (b *copyBox) confineNet() error {
	b.conf.Network = "none"
	if err := loopbackAddrs(b.spec.Network.Loopback); err != nil {
		return err
	}
	for _, a := range b.spec.Network.Loopback {
		b.jail.addPort(a)
	}
	if len(b.spec.Network.Hosts) == 0 {
		return nil
	}
	g, err := newGate(b.spec.Network.Hosts, b.o.Dialer)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.net = newServed(g)
	b.net.token = newToken()
	b.net.serveProxy(l, l.Addr().String())
	b.jail.addPort(l.Addr().String())
	b.conf.Network = "proxy (" + strings.Join(b.spec.Network.Hosts, ", ") + ")"
	return nil
}
