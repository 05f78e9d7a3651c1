package pki

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
)

// A node's id becomes a file name and a DNS name in a certificate.
var (
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)
	hostPattern = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$`)
)

// check refuses requests that would make certificates which do not work, or
// which prove more than they should.
func check(nodes []Node) error {
	if len(nodes) == 0 {
		return errors.New("no node named: give the id of at least one")
	}
	ids := make(map[string]bool)
	for _, node := range nodes {
		switch {
		case !idPattern.MatchString(node.ID):
			return fmt.Errorf("node id %q: only letters, digits, '-', '_' and '.' are possible, at most 63, the first and last a letter or digit", node.ID)
		case node.ID == "ca":
			return errors.New(`node id "ca": its files would be the authority's; name the node otherwise`)
		case ids[node.ID]:
			return fmt.Errorf("node id %q is given twice", node.ID)
		}
		ids[node.ID] = true
	}
	for _, node := range nodes {
		for _, host := range node.Hosts {
			if _, err := netip.ParseAddr(host); err == nil {
				continue
			}
			if !hostPattern.MatchString(host) {
				return fmt.Errorf("node %s: %q is neither a host name nor an IP address (no port, no brackets)", node.ID, host)
			}
			if ids[host] && host != node.ID {
				return fmt.Errorf("node %s: host %q is another node's id, and a certificate with that name could speak for it", node.ID, host)
			}
		}
	}
	return nil
}
