package sandbox

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// handoff is a listener that is fed connections.
type handoff struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (h *handoff) take(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.done:
		c.Close()
	}
}

func (h *handoff) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

func (h *handoff) Close() error   { h.once.Do(func() { close(h.done) }); return nil }
func (h *handoff) Addr() net.Addr { return &net.TCPAddr{} }

// portConn is a connection of a client that was led to us by name, at a port.
type portConn struct {
	*peeked
	port string
}

// tlsHandshake is the first byte of a TLS client's first record (RFC 8446, 5.1).
const tlsHandshake = 0x16

// peeked is a connection of which something was read ahead.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// serverName reads the name that a TLS client asks for, without using up what it sent.
func (p *peeked) serverName() (string, error) {
	var seen bytes.Buffer
	name, err := serverNameOf(io.TeeReader(p.r, &seen))
	p.r = bufio.NewReaderSize(io.MultiReader(&seen, p.r), 64<<10)
	return name, err
}

// serverNameOf reads a ClientHello and returns its server name, "" where it has none.
func serverNameOf(r io.Reader) (string, error) {
	var name string
	stop := errors.New("that is all")
	err := tls.Server(mute{r}, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name = h.ServerName
		return nil, stop
	}}).Handshake()
	if errors.Is(err, stop) {
		err = nil
	}
	return name, err
}

// mute is a connection that can only be read.
type mute struct{ io.Reader }

func (mute) Write(b []byte) (int, error)      { return 0, io.ErrClosedPipe }
func (mute) Close() error                     { return nil }
func (mute) LocalAddr() net.Addr              { return nil }
func (mute) RemoteAddr() net.Addr             { return nil }
func (mute) SetDeadline(time.Time) error      { return nil }
func (mute) SetReadDeadline(time.Time) error  { return nil }
func (mute) SetWriteDeadline(time.Time) error { return nil }
