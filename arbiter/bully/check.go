package bully

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/core"
)

// Check returns what is wrong with the configuration, as a *core.AttributeError,
// and what is allowed but worth a warning, in whole sentences. It asks nobody.
func (c Config) Check() (warnings []string, err error) {
	c = c.withDefaults()
	for _, rule := range []func(Config) error{
		checkNode, checkVoters, checkTimings, checkAddresses, checkGossip, checkKeys, checkTLS, checkDataDir,
	} {
		if err := rule(c); err != nil {
			return nil, err
		}
	}
	return c.warnings(), nil
}

// warnings says what an even or a small electorate means.
func (c Config) warnings() []string {
	var warnings []string
	n := len(c.Voters)
	if n%2 == 0 {
		warnings = append(warnings, fmt.Sprintf(
			"%d voters tolerate no more failures than %d do; a network that splits %d to %d has no majority on either side, and nobody leads until it heals.",
			n, n-1, n/2, n/2))
	}
	if n < 3 {
		warnings = append(warnings, fmt.Sprintf("%d voters: if any of them is down, nobody can be elected.", n))
	}
	if !c.Client && !c.isVoter() {
		warnings = append(warnings, fmt.Sprintf("%s is no voter: it never votes; it reads, stands and may lead.", c.Node))
	}
	if own := c.Addresses[c.Node]; c.isVoter() && own != "" && c.VoteAdvertise == "" && !leadsTo(own, c.VoteListen) {
		warnings = append(warnings, fmt.Sprintf("addresses says that %s votes at %s, and it listens on %s: unless something forwards the one to the other, nobody reaches it.", c.Node, own, c.VoteListen))
	}
	if c.Bind != gossipOff && c.GossipKey == "" && !onLoopback(c.Bind) {
		warnings = append(warnings, "the gossip is not encrypted: whoever reaches its port can disturb who stands first (never who is elected); set gossip_key.")
	}
	return warnings
}

func wrong(attribute, problem, advice string, err error) error {
	return &core.AttributeError{Attribute: attribute, Problem: problem, Advice: advice, Err: err}
}

func checkNode(c Config) error {
	if c.Node == "" {
		return wrong("node", "is missing", "give this node's id", nil)
	}
	return nil
}

func checkVoters(c Config) error {
	if _, err := register.NewElectorate(c.Cluster, c.Voters); err != nil {
		return wrong("voters", err.Error(), "list the node id of every voter once, the same on all nodes", nil)
	}
	if len(c.Voters) < 3 && !c.AllowSmall {
		return wrong("voters", fmt.Sprintf("%d voters cannot outvote a failed one", len(c.Voters)),
			"list at least three, or use another arbiter for two nodes (s3, gcs); allow_small = true to go on regardless", nil)
	}
	return nil
}

func checkTimings(c Config) error {
	if _, known := profiles[c.Profile]; !known {
		return wrong("profile", fmt.Sprintf("%q is no profile", c.Profile), "use lan, wan, local or fast", nil)
	}
	if c.PreemptAfter < 0 {
		return wrong("preempt_after", fmt.Sprintf("%v is negative", c.PreemptAfter), "leave it out to never pre-empt", nil)
	}
	return nil
}

func checkGossip(c Config) error {
	if c.Bind != gossipOff {
		return nil
	}
	for _, voter := range c.Voters {
		if c.Addresses[voter] == "" && voter != c.Node {
			return wrong("addresses", fmt.Sprintf("voter %q is missing, and without gossip it cannot be found", voter),
				"add it, or set bind and join", nil)
		}
	}
	return nil
}

func checkKeys(c Config) error {
	if c.GossipKey == "" && len(c.GossipKeys) > 0 {
		return wrong("gossip_keys", "has keys, but gossip_key is missing", "say which key encrypts", nil)
	}
	if _, err := decodeKey(c.GossipKey); err != nil {
		return wrong("gossip_key", err.Error(), "make one with openssl rand -base64 32", nil)
	}
	for i, key := range c.GossipKeys {
		if _, err := decodeKey(key); err != nil {
			return wrong("gossip_keys", fmt.Sprintf("key %d: %v", i+1, err), "make one with openssl rand -base64 32", nil)
		}
	}
	return nil
}

// decodeKey never repeats the key in its error.
func decodeKey(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("is not base64")
	}
	if n := len(key); n != 16 && n != 24 && n != 32 {
		return nil, fmt.Errorf("is %d bytes long, and must be 16, 24 or 32", n)
	}
	return key, nil
}

func checkTLS(c Config) error {
	if c.TLS != nil && c.Insecure {
		return wrong("insecure", "contradicts the tls block", "remove one of them", nil)
	}
	if c.TLS != nil {
		_, err := c.material()
		return err
	}
	if !c.Insecure {
		return wrong("tls", "is missing", "name ca_file, cert_file and key_file (`electd tls init` makes them); insecure = true is for loopback alone", nil)
	}
	addresses := []string{}
	if c.isVoter() && c.listener == nil {
		addresses = append(addresses, c.VoteListen)
	}
	for _, a := range c.Addresses {
		addresses = append(addresses, a)
	}
	for _, a := range addresses {
		if !onLoopback(a) {
			return wrong("insecure", fmt.Sprintf("%s is not on loopback", a), "votes that leave the machine need a tls block", nil)
		}
	}
	return nil
}

func checkDataDir(c Config) error {
	if !c.isVoter() {
		return nil
	}
	if c.DataDir == "" {
		return wrong("data_dir", "is missing", "a voter must remember its promises: name a directory on a disk of its own", nil)
	}
	if info, err := os.Stat(c.DataDir); err == nil && !info.IsDir() {
		return wrong("data_dir", fmt.Sprintf("%s is no directory", c.DataDir), "name a directory", nil)
	}
	return nil
}

func (c Config) isVoter() bool { return !c.Client && slices.Contains(c.Voters, c.Node) }

func onLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
