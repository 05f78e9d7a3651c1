package bully

import (
	"log/slog"
	"net"
	"time"

	"github.com/hashicorp/memberlist"
)

// Config is the bully arbiter's configuration. Voters and Node must be set, and
// DataDir where Node is a voter. A zero value means the default the tag names.
type Config struct {
	Voters  []string `electd:"voters,required" doc:"Node ids of all voters: the same list, in any order, on every node. A majority of it decides, whoever is up. Three or five; even numbers buy nothing."`
	Node    string   `electd:"node,required" doc:"This node's id; electd fills in that of its node block. A node that is no voter may read, watch and stand, and never votes."`
	DataDir string   `electd:"data_dir" doc:"Directory of this voter's promises, fsynced before each vote. Required on a voter; electd fills in votes in its node's data_dir. Never copied, never shared, never restored from a backup."`
	Cluster string   `electd:"cluster" default:"electd" doc:"Name of the cluster. Part of every message: clusters of other names or voters do not hear each other."`

	VoteListen    string            `electd:"vote_listen" default:"0.0.0.0:7947" doc:"Address (TCP) on which a voter takes part in votes."`
	VoteAdvertise string            `electd:"vote_advertise" doc:"host:port at which the others reach vote_listen. Default: this node's entry in addresses, else the host of advertise with vote_listen's port."`
	Addresses     map[string]string `electd:"addresses" doc:"host:port of voters' vote_listen, by node id; names are resolved anew at every dial. Voters that are missing here are found by gossip."`

	Bind        string   `electd:"bind" default:"0.0.0.0:7946" doc:"Address (TCP and UDP) of the gossip; off for none, then addresses must name every voter."`
	Advertise   string   `electd:"advertise" doc:"host or host:port at which the others reach bind. Default: chosen from this machine's addresses."`
	Join        []string `electd:"join" doc:"host:port of nodes to gossip with; all of them are resolved and joined again every 10 to 30 s. Naming every voter is best."`
	GossipKey   string   `electd:"gossip_key,sensitive" doc:"Base64 of 16, 24 or 32 random bytes: encrypts the gossip."`
	GossipKeys  []string `electd:"gossip_keys,sensitive" doc:"Further keys that are understood, for changing the key: first add the new one here on every node, then make it gossip_key, then remove the old one."`
	Profile     string   `electd:"profile" default:"lan" doc:"Timings: lan, wan, local (one machine) or fast (a LAN with failovers below 1.5 s)."`
	Suitability int      `electd:"suitability" doc:"How suitable this node is to lead: the highest stands first; among equals the greater node id."`

	PreemptAfter time.Duration `electd:"preempt_after" doc:"Hand over to a higher-ranked voter that has been up for this long; needs a transport block, for the leader must hear that the other one may stand. Default: never; a leader stays."`
	AllowSmall   bool          `electd:"allow_small" doc:"Allow fewer than three voters: none of them may then ever be down."`

	Client bool `electd:"client" doc:"Read, swap and examine without a vote, a data directory or vote_listen, and from a gossip port of its own. Set by electd probe beside a daemon that has the vote."`

	TLS      *TLS `electd:"tls,block" doc:"Certificates of the votes. The subject alternative name of a voter's certificate is its node id."`
	Insecure bool `electd:"insecure" doc:"Vote without TLS. Only where every address is on loopback."`

	log       *slog.Logger            // tests: where to log
	listener  net.Listener            // tests: instead of VoteListen
	transport memberlist.Transport    // tests: instead of Bind
	way       func(electors) electors // tests: what stands between this node and the voters
}

// TLS names the files of the votes' mutual TLS.
type TLS struct {
	CAFile   string `electd:"ca_file,required" doc:"PEM file with the certificate authorities that the nodes' certificates come from."`
	CertFile string `electd:"cert_file,required" doc:"PEM file with this node's certificate."`
	KeyFile  string `electd:"key_file,required" doc:"PEM file with its key."`
}

// gossipOff is the value of Bind that turns gossip off.
const gossipOff = "off"

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		field    *string
		standard string
	}{
		{&c.Cluster, "electd"},
		{&c.VoteListen, "0.0.0.0:7947"},
		{&c.Bind, "0.0.0.0:7946"},
		{&c.Profile, "lan"},
	} {
		if *d.field == "" {
			*d.field = d.standard
		}
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	return c
}
