package bully

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

func checkAddresses(c Config) error {
	for _, a := range []struct{ name, value string }{{"vote_listen", c.VoteListen}, {"bind", c.Bind}} {
		if a.name == "bind" && a.value == gossipOff {
			continue
		}
		if _, _, err := splitPort(a.value); err != nil {
			return noAddress(a.name, a.value, err)
		}
	}
	if c.isVoter() && c.Bind != gossipOff && collide(c.VoteListen, c.Bind) {
		return wrong("bind", fmt.Sprintf("%s takes the port of vote_listen, %s", c.Bind, c.VoteListen), "give the gossip a port of its own", nil)
	}
	if c.VoteAdvertise != "" {
		if err := reachable(c.VoteAdvertise); err != nil {
			return noAddress("vote_advertise", c.VoteAdvertise, err)
		}
	}
	if _, _, err := net.SplitHostPort(c.Advertise); err == nil { // else it is a host alone
		if err := reachable(c.Advertise); err != nil {
			return noAddress("advertise", c.Advertise, err)
		}
	}
	for _, address := range c.Join {
		if err := reachable(address); err != nil {
			return noAddress("join", address, err)
		}
	}
	return checkVotersAddresses(c)
}

func checkVotersAddresses(c Config) error {
	at := map[string]string{}
	for _, node := range slices.Sorted(maps.Keys(c.Addresses)) {
		address := c.Addresses[node]
		if !slices.Contains(c.Voters, node) {
			return wrong("addresses", fmt.Sprintf("%q is no voter", node), "the keys are node ids from voters", nil)
		}
		if err := reachable(address); err != nil {
			return wrong("addresses", fmt.Sprintf("%q of %s is no address", address, node), "write host:port", err)
		}
		if other, taken := at[address]; taken {
			return wrong("addresses", fmt.Sprintf("%s and %s are both at %s", other, node, address), "each voter has an address of its own", nil)
		}
		at[address] = node
	}
	return nil
}

func noAddress(attribute, value string, err error) error {
	return wrong(attribute, fmt.Sprintf("%q is no address", value), "write host:port", err)
}

// splitPort takes an address to listen on apart. Port 0 is any.
func splitPort(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("the port %q is no number up to 65535", text)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, int(n), nil
}

// reachable says why an address cannot be called.
func reachable(address string) error {
	host, port, err := splitPort(address)
	switch {
	case err != nil:
		return err
	case unspecified(host):
		return fmt.Errorf("it names no host")
	case port == 0:
		return fmt.Errorf("port 0 cannot be called")
	}
	return nil
}

func unspecified(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsUnspecified()
}

// collide reports whether two addresses to listen on are one.
func collide(a, b string) bool {
	hostA, portA, _ := splitPort(a)
	hostB, portB, _ := splitPort(b)
	return portA == portB && portA != 0 && (hostA == hostB || unspecified(hostA) || unspecified(hostB))
}

// leadsTo reports whether who calls an address may well come to where listen is:
// the ports are equal, and so are the hosts where both are numbers.
func leadsTo(address, listen string) bool {
	host, port, _ := splitPort(address)
	on, listening, _ := splitPort(listen)
	called, errCalled := netip.ParseAddr(host)
	heard, errHeard := netip.ParseAddr(on)
	return listening == 0 || port == listening &&
		(errCalled != nil || errHeard != nil || heard.IsUnspecified() || called == heard)
}
