package wiki

import (
	"fmt"
	"net"
	"slices"

	"github.com/rigwiki/rig/adapters"
	"github.com/rigwiki/rig/sandbox"
)

// network is what the grant lets the agent reach: its vendor's hosts and those of the user's config; and on this machine the addresses that the
// user's environment, our config or the agent's own config file names, with the events endpoint.
func (r *run) network(inv adapters.Invocation) sandbox.Network {
	cfg := r.cfg.Agent[r.rec.Agent]
	n := reach(slices.Concat(inv.Hosts, cfg.Network, r.cfg.Sandbox.Network[r.op.Name], r.webHosts()))
	n.Loopback = slices.Concat(n.Loopback, loopbacks(slices.Concat(r.host.env, configEnv(cfg), inv.Env)), loopbackURLs(cfg.Args), []string{fmt.Sprintf("127.0.0.1:%d", r.board.Port())})
	slices.Sort(n.Hosts)
	slices.Sort(n.Loopback)
	n.Hosts, n.Loopback = slices.Compact(n.Hosts), slices.Compact(n.Loopback)
	return n
}

// reach sorts hosts ("name", "name:port") into those of this machine and others.
func reach(hosts []string) (n sandbox.Network) {
	for _, host := range hosts {
		if addr, ok := loopbackAddr(host); ok {
			n.Loopback = append(n.Loopback, addr)
		} else {
			n.Hosts = append(n.Hosts, host)
		}
	}
	return n
}

// loopbackAddr is the address of a "host:port" that is this machine.
func loopbackAddr(hostport string) (string, bool) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return "", false
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	return net.JoinHostPort(host, port), ip != nil && ip.IsLoopback() && ip.To4() != nil
}

var urlRE = lazyRE(`https?://([^/\s"'\\]+)`)

// loopbackURLs are the addresses of this machine that URLs within texts name: arguments may hold a whole config.
func loopbackURLs(texts []string) []string {
	var out []string
	for _, t := range texts {
		for _, m := range urlRE().FindAllStringSubmatch(t, -1) {
			if addr, ok := loopbackAddr(m[1]); ok {
				out = append(out, addr)
			}
		}
	}
	return out
}
