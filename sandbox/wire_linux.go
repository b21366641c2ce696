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
type wire struct{ c *net.UnixConn }

// newWire makes both ends; the far one is a file to be inherited.
func newWire() (*wire, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	far := os.NewFile(uintptr(fds[1]), "helper")
	near, err := wireFrom(os.NewFile(uintptr(fds[0]), "helper"))
	if err != nil {
		far.Close()
		return nil, nil, err
	}
	return near, far, nil
}

// wireFrom takes over f.
func wireFrom(f *os.File) (*wire, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, errors.New("not a unix socket")
	}
	return &wire{u}, nil
}

func (w *wire) close() { w.c.Close() }

// send sends one message and copies of the given files.
func (w *wire) send(msg any, fds ...int) error {
	body, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	if _, _, err := w.c.WriteMsgUnix(head, oob, nil); err != nil {
		return err
	}
	_, err = w.c.Write(body)
	return err
}

// messageMax bounds a message: unsaved buffers travel in it.
const messageMax = 1 << 30

// recv reads one message into msg and returns the files that came with it. io.EOF: the other end is gone.
func (w *wire) recv(msg any) ([]*os.File, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(4*64))
	n, oobn, _, _, err := w.c.ReadMsgUnix(head[:], oob)
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
