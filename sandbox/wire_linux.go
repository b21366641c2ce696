package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// A wire carries JSON messages and open files between us and a helper, over a socket that only the two have.
type wire struct{ c wireEnd }

// A wireEnd is one end of a connection that can carry open files (unix(7), SCM_RIGHTS).
type wireEnd interface {
	io.ReadWriteCloser
	writeMsg(b, oob []byte) (n int, err error)
	readMsg(b, oob []byte) (n, oobn int, err error)
}

// newWire makes both ends; the far one is a file to be inherited.
func newWire() (*wire, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	far := os.NewFile(uintptr(fds[1]), "helper")
	near := os.NewFile(uintptr(fds[0]), "helper")
	defer near.Close()
	c, err := net.FileConn(near)
	if err != nil {
		far.Close()
		return nil, nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		far.Close()
		return nil, nil, errors.New("not a unix socket")
	}
	return &wire{ourEnd{u}}, far, nil
}

// inheritedWire is the far end in a helper: descriptor 3.
func inheritedWire() (*wire, error) {
	if t, err := unix.GetsockoptInt(3, unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || t != unix.AF_UNIX {
		return nil, errors.New("descriptor 3 is not a unix socket")
	}
	return &wire{helpersEnd(3)}, nil
}

func (w *wire) close() { w.c.Close() }

// send sends one message and copies of the given files.
func (w *wire) send(msg any, fds ...int) error {
	body, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	b := append(binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body))), body...)
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	n, err := w.c.writeMsg(b, oob)
	if err != nil || n == len(b) {
		return err
	}
	_, err = w.c.Write(b[n:])
	return err
}

// messageMax bounds a message: unsaved buffers travel in it.
const messageMax = 1 << 30

// recv reads one message into msg and returns the files that came with it. io.EOF: the other end is gone.
func (w *wire) recv(msg any) ([]*os.File, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(4*64))
	n, oobn, err := w.c.readMsg(head[:], oob)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	files, err := filesOf(oob[:oobn])
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(w.c, head[n:]); err != nil {
		return files, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size > messageMax {
		return files, errors.New("message too long")
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(w.c, body); err != nil {
		return files, err
	}
	return files, json.Unmarshal(body, msg)
}

func filesOf(oob []byte) ([]*os.File, error) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range msgs {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files, nil
}

// ourEnd can be closed while somebody reads it.
type ourEnd struct{ *net.UnixConn }

func (e ourEnd) writeMsg(b, oob []byte) (int, error) {
	n, _, err := e.WriteMsgUnix(b, oob, nil)
	return n, err
}

func (e ourEnd) readMsg(b, oob []byte) (n, oobn int, err error) {
	n, oobn, _, _, err = e.ReadMsgUnix(b, oob)
	return n, oobn, err
}

// helpersEnd blocks its thread: the runtime's poller costs a helper, whose main goroutine has a thread to itself, several switches of threads a
// message.
type helpersEnd int

func (e helpersEnd) Read(b []byte) (n int, err error) {
	err = retry(func() (err error) { n, err = unix.Read(int(e), b); return err })
	if n == 0 && err == nil && len(b) > 0 {
		err = io.EOF
	}
	return max(n, 0), err
}

func (e helpersEnd) Write(b []byte) (int, error) {
	for done := 0; ; {
		n := 0
		err := retry(func() (err error) { n, err = unix.Write(int(e), b[done:]); return err })
		if done += max(n, 0); err != nil || done == len(b) {
			return done, err
		}
	}
}

func (e helpersEnd) Close() error { return unix.Close(int(e)) }

func (e helpersEnd) writeMsg(b, oob []byte) (n int, err error) {
	err = retry(func() (err error) { n, err = unix.SendmsgN(int(e), b, oob, nil, unix.MSG_NOSIGNAL); return err })
	return n, err
}

func (e helpersEnd) readMsg(b, oob []byte) (n, oobn int, err error) {
	err = retry(func() (err error) {
		n, oobn, _, _, err = unix.Recvmsg(int(e), b, oob, unix.MSG_CMSG_CLOEXEC)
		return err
	})
	return n, oobn, err
}
