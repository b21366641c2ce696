package fetch

import (
	"net/netip"
	"slices"
)

// reach is how far an address may be asked for.
type reach int

const (
	public  reach = iota // anywhere
	private              // this machine and networks of one's own: only where the user allows it
	never                // metadata of clouds, links, groups, and forms that hide another address
)

// network is a range of addresses with a name for messages.
type network struct {
	prefix netip.Prefix
	reach  reach
	name   string
}

// networks are the ranges that are not the public internet: the IANA special-purpose registries (RFC 6890 and its updates), and addresses at which
// clouds tell credentials. The first that holds an address counts. IPv6 outside 2000::/3 is never public, so that only its private parts stand here.
func networks() []network {
	n := func(cidr string, r reach, name string) network { return network{netip.MustParsePrefix(cidr), r, name} }
	return []network{
		n("169.254.169.254/32", never, "metadata service"), n("169.254.170.2/32", never, "metadata service"), n("100.100.100.200/32", never, "metadata service"),
		n("168.63.129.16/32", never, "metadata service"), n("192.0.0.192/32", never, "metadata service"), n("fd00:ec2::/32", never, "metadata service"),
		n("127.0.0.0/8", private, "loopback"), n("10.0.0.0/8", private, "private network"), n("172.16.0.0/12", private, "private network"),
		n("192.168.0.0/16", private, "private network"), n("100.64.0.0/10", private, "carrier's network"),
		n("0.0.0.0/8", never, "no host"), n("169.254.0.0/16", never, "link-local"), n("192.0.0.0/24", never, "protocol assignments"),
		n("192.0.2.0/24", never, "documentation"), n("198.51.100.0/24", never, "documentation"), n("203.0.113.0/24", never, "documentation"),
		n("192.88.99.0/24", never, "6to4 relay"), n("198.18.0.0/15", never, "benchmarks"), n("224.0.0.0/4", never, "multicast"), n("240.0.0.0/4", never, "reserved"),
		n("::1/128", private, "loopback"), n("fc00::/7", private, "private network"),
		n("::/128", never, "no host"), n("fe80::/10", never, "link-local"), n("ff00::/8", never, "multicast"), n("64:ff9b::/96", never, "NAT64"), n("64:ff9b:1::/48", never, "NAT64"),
		n("2001:db8::/32", never, "documentation"), n("3fff::/20", never, "documentation"), n("2001::/32", never, "Teredo"), n("2001::/23", never, "protocol assignments"), n("2002::/16", never, "6to4"),
	}
}

// judgeAddr says how far an address may be asked for, and what network it is in. An IPv4 address in IPv6 clothes (::ffff:127.0.0.1) is judged as what
// it is; other forms that carry one are refused.
func judgeAddr(a netip.Addr) (reach, string) {
	if !a.IsValid() || a.Zone() != "" {
		return never, "zoned address"
	}
	a = a.Unmap()
	all := networks()
	if i := slices.IndexFunc(all, func(n network) bool { return n.prefix.Contains(a) }); i >= 0 {
		return all[i].reach, all[i].name
	}
	if a.Is6() && !netip.MustParsePrefix("2000::/3").Contains(a) {
		return never, "not a public address"
	}
	return public, ""
}
