package sandbox

import (
	"fmt"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listenInside brings the loopback interface up and makes the sockets that the parent serves: the program's side of them is here, so nothing
// of the host's network is.
func listenInside(spec viewSpec) (fds []int, proxy string, err error) {
	if err := loopbackUp(); err != nil {
		return nil, "", err
	}
	addrs := append([]string{}, spec.Loopback...)
	for _, p := range spec.Ports {
		addrs = append(addrs, hostsAddr+":"+p)
	}
	if spec.Proxy {
		addrs = append(addrs, "127.0.0.1:0")
	}
	for _, a := range addrs {
		ap, err := netip.ParseAddrPort(a)
		if err != nil {
			return nil, "", err
		}
		fd, err := listenAt(ap)
		if err != nil {
			return nil, "", fmt.Errorf("listen at %s: %w", a, err)
		}
		fds = append(fds, fd)
	}
	if spec.Proxy {
		sa, err := unix.Getsockname(fds[len(fds)-1])
		if err != nil {
			return nil, "", err
		}
		in4, ok := sa.(*unix.SockaddrInet4)
		if !ok {
			return nil, "", fmt.Errorf("proxy has no address")
		}
		proxy = "127.0.0.1:" + strconv.Itoa(in4.Port)
	}
	return fds, proxy, nil
}

func listenAt(ap netip.AddrPort) (int, error) {
	family, sa := unix.AF_INET6, unix.Sockaddr(&unix.SockaddrInet6{Port: int(ap.Port()), Addr: ap.Addr().As16()})
	if ap.Addr().Is4() {
		family, sa = unix.AF_INET, &unix.SockaddrInet4{Port: int(ap.Port()), Addr: ap.Addr().As4()}
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Bind(fd, sa); err != nil {
		return -1, err
	}
	return fd, unix.Listen(fd, 128)
}

// loopbackUp gives the loopback interface its address and a second one: with 127.0.0.1 alone the C library holds that there is no IPv4 here
// and resolves nothing for programs that ask for addresses in use only (getaddrinfo(3), AI_ADDRCONFIG).
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING | unix.IFF_LOOPBACK)
	if err := ioctl(fd, unix.SIOCSIFFLAGS, ifr); err != nil {
		return fmt.Errorf("loopback up: %w", err)
	}
	alias, err := unix.NewIfreq("lo:1")
	if err != nil {
		return err
	}
	if err := alias.SetInet4Addr(netip.MustParseAddr(hostsAddr).AsSlice()); err != nil {
		return err
	}
	if err := ioctl(fd, unix.SIOCSIFADDR, alias); err != nil {
		return fmt.Errorf("loopback address: %w", err)
	}
	return nil
}

func ioctl(fd int, req uintptr, ifr *unix.Ifreq) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), req, uintptr(unsafe.Pointer(ifr))); errno != 0 {
		return errno
	}
	return nil
}
