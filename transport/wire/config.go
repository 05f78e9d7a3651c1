package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
)

const defaultInterval = 500 * time.Millisecond

func (c Config) withDefaults() Config {
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if c.Log == nil {
		c.Log = hclog.NewNullLogger()
	}
	return c
}

func (c Config) check() error {
	if c.Node == "" {
		return &core.AttributeError{Attribute: "node.id", Problem: "is missing"}
	}
	if c.Interval < 0 {
		return &core.AttributeError{Attribute: "heartbeat_interval", Problem: fmt.Sprintf("%v is not a duration to wait", c.Interval)}
	}
	if err := checkListen("listen", c.Listen); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, p := range c.Peers {
		block := fmt.Sprintf("peer %q", p.Node)
		switch {
		case p.Node == "":
			return &core.AttributeError{Attribute: "peer", Problem: "a peer has no node id"}
		case p.Node == c.Node:
			return &core.AttributeError{Attribute: block, Problem: "is this node's own id", Advice: "list the other nodes only, and give each node an id of its own"}
		case seen[p.Node]:
			return &core.AttributeError{Attribute: block, Problem: "is listed twice"}
		}
		seen[p.Node] = true
		if err := checkPeer(block+".address", p.Address); err != nil {
			return err
		}
	}
	if c.Insecure {
		return c.checkInsecure()
	}
	return nil
}

// checkListen checks an address to listen on: any host will do, and port 0 lets the
// system choose.
func checkListen(attribute, address string) error {
	_, _, err := hostPort(attribute, address)
	return err
}

// checkPeer checks an address to dial.
func checkPeer(attribute, address string) error {
	host, port, err := hostPort(attribute, address)
	switch {
	case err != nil:
		return err
	case port == 0:
		return noPort(attribute, address)
	case host == "":
		return &core.AttributeError{Attribute: attribute, Problem: fmt.Sprintf("%q names no host", address), Advice: "say where the peer is to be found"}
	}
	return nil
}

func hostPort(attribute, address string) (host string, port uint64, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, &core.AttributeError{Attribute: attribute, Problem: fmt.Sprintf("%q is not host:port", address), Advice: `write it as in "10.0.0.1:7400" or "[fd00::1]:7400"`}
	}
	if port, err = strconv.ParseUint(text, 10, 16); err != nil {
		return "", 0, noPort(attribute, address)
	}
	return host, port, nil
}

func noPort(attribute, address string) error {
	return &core.AttributeError{Attribute: attribute, Problem: fmt.Sprintf("%q has no port between 1 and 65535", address)}
}

func (c Config) checkInsecure() error {
	if c.TLS != (TLS{}) {
		return &core.AttributeError{Attribute: "insecure", Problem: "is set together with tls", Advice: "remove one of them"}
	}
	if c.ForceInsecure {
		return nil
	}
	if !loopback(c.Listen) {
		return insecureElsewhere("listen", c.Listen)
	}
	for _, p := range c.Peers {
		if !loopback(p.Address) {
			return insecureElsewhere(fmt.Sprintf("peer %q.address", p.Node), p.Address)
		}
	}
	return nil
}

func insecureElsewhere(attribute, address string) error {
	return &core.AttributeError{
		Attribute: attribute,
		Problem:   fmt.Sprintf("%q is not a loopback address, and insecure sends plain text that anyone there can forge", address),
		Advice:    "configure tls; electd tls init makes the certificates",
	}
}

// loopback says whether an address is certain not to leave this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

func listenError(address string, err error) error {
	problem := &core.AttributeError{Attribute: "listen", Problem: fmt.Sprintf("cannot listen on %s", address), Err: err}
	var known *net.OpError
	if errors.As(err, &known) {
		problem.Err = known.Err
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		problem.Advice = "another program has this port, maybe another electd: stop it or choose another port"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		problem.Advice = "use an address of this machine, or leave the host empty for all of them"
	case errors.Is(err, syscall.EACCES):
		problem.Advice = "choose a port above 1023"
	}
	return problem
}
