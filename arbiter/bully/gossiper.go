package bully

import (
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/electd/electd/arbiter/bully/gossip"
)

// gossiper ties the gossip to what this node knows.
type gossiper struct {
	arbiter *Arbiter
	members *gossip.Members
}

// startGossip begins to gossip. listening is where this node votes; nil: nowhere.
func (a *Arbiter) startGossip(listening net.Addr) error {
	mc := a.profile.gossip()
	mc.Name = a.config.Node
	mc.Transport = a.config.transport
	mc.TCPTimeout = min(mc.TCPTimeout, 2*a.profile.patience) // Close waits for a dial that is under way
	if err := a.setAddresses(mc); err != nil {
		return err
	}
	if a.config.Client {
		mc.Name += "-client-" + rand.Text()[:10]
		mc.BindPort, mc.AdvertisePort = 0, 0 // the voter beside it has the port
	}
	if err := a.setKeys(mc); err != nil {
		return err
	}
	g := &gossiper{arbiter: a}
	members, err := gossip.Start(gossip.Config{
		Memberlist: mc, Electorate: a.electorate.Hash(), Join: a.config.Join, Log: a.log, Hear: g,
		Meta:   gossip.Meta{Suitability: a.config.Suitability, Votes: a.votesAt(mc, listening)},
		Rejoin: func() time.Duration { return rejoinLeast + mathrand.N(rejoinMost-rejoinLeast) },
	})
	if err != nil {
		return wrong("bind", "cannot gossip", "another process may be using the port (TCP and UDP)", err)
	}
	g.members = members
	a.mu.Lock()
	a.gossip = g
	a.mu.Unlock()
	return nil
}

func (a *Arbiter) setAddresses(mc *memberlist.Config) error {
	host, port, err := splitPort(a.config.Bind)
	if err != nil {
		return wrong("bind", fmt.Sprintf("%q is no address", a.config.Bind), "write host:port", err)
	}
	mc.BindAddr, mc.BindPort, mc.AdvertisePort = host, port, port
	if a.config.Advertise == "" {
		return nil
	}
	mc.AdvertiseAddr = a.config.Advertise
	if host, port, err := splitPort(a.config.Advertise); err == nil {
		mc.AdvertiseAddr, mc.AdvertisePort = host, port
	}
	if net.ParseIP(mc.AdvertiseAddr) != nil {
		return nil
	}
	ips, err := net.LookupIP(mc.AdvertiseAddr)
	if err != nil || len(ips) == 0 {
		return wrong("advertise", fmt.Sprintf("%s does not resolve", mc.AdvertiseAddr), "give an address of this machine", err)
	}
	mc.AdvertiseAddr = ips[0].String()
	return nil
}

func (a *Arbiter) setKeys(mc *memberlist.Config) error {
	primary, err := decodeKey(a.config.GossipKey)
	if err != nil || primary == nil {
		return err
	}
	var keys [][]byte
	for _, text := range a.config.GossipKeys {
		key, err := decodeKey(text)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	mc.Keyring, err = memberlist.NewKeyring(keys, primary)
	return err
}

// votesAt is the address to tell the others.
func (a *Arbiter) votesAt(mc *memberlist.Config, listening net.Addr) string {
	switch {
	case listening == nil:
		return ""
	case a.config.VoteAdvertise != "":
		return a.config.VoteAdvertise
	case a.config.Addresses[a.config.Node] != "":
		return a.config.Addresses[a.config.Node]
	}
	host, port, err := net.SplitHostPort(listening.String())
	if err != nil {
		return listening.String()
	}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() {
		return listening.String()
	}
	if mc.AdvertiseAddr != "" {
		return net.JoinHostPort(mc.AdvertiseAddr, port)
	}
	if ip := net.ParseIP(mc.BindAddr); ip != nil && !ip.IsUnspecified() {
		return net.JoinHostPort(mc.BindAddr, port)
	}
	return net.JoinHostPort(machineAddress(), port)
}

// machineAddress is this machine's first address that is not loopback: on a
// machine with more of them, vote_advertise should say which.
func machineAddress() string {
	addresses, _ := net.InterfaceAddrs()
	for _, address := range addresses {
		if n, isNet := address.(*net.IPNet); isNet && !n.IP.IsLoopback() && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return "127.0.0.1"
}

func (g *gossiper) spread(n news) {
	g.members.Spread(gossip.Item{Key: n.key, Ballot: n.ballot, Version: n.version})
}

func (g *gossiper) close() {
	if err := g.members.Close(); err != nil {
		g.arbiter.log.Info("leaving the gossip", "error", err)
	}
}

// News, Member, Gone, Problem, NoProblem and Happened are what the gossip brings.
func (g *gossiper) News(i gossip.Item) {
	g.arbiter.news.add(news{key: i.Key, ballot: i.Ballot, version: i.Version})
}

func (g *gossiper) Member(node string, m gossip.Meta) {
	a := g.arbiter
	a.ranks.member(node, m, time.Now())
	if i, isVoter := a.electorate.Index(node); isVoter && i != a.net.me {
		a.net.peers[i].hurry()
	}
}

func (g *gossiper) Gone(node string) { g.arbiter.ranks.gone(node, time.Now()) }

func (g *gossiper) Problem(name, text string) { g.arbiter.note(name, text) }

func (g *gossiper) Happened(name, text string) { g.arbiter.happened(name, text) }

func (g *gossiper) NoProblem(name string) { g.arbiter.problems.clear(name) }
