package builtin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// Deployment is what an arbiter's configuration is measured by.
type Deployment struct {
	Node  string        // this node's id
	Peers []string      // nodes that exchange heartbeats with it
	Lease time.Duration // the longest arbiter lease of any election

	Listeners []Listener // of the daemon itself
}

// Listener is an address that something listens on, and what it is called in the
// configuration.
type Listener struct{ Name, Address string }

// Check examines the configuration of a built-in arbiter that takes part in
// elections itself, without opening it: that would take its ports from a daemon
// that runs. It returns what is worth saying about it; ok is false for arbiters
// that only store, which can be opened without harm.
func Check(name string, values plugins.Values, d Deployment) (say []string, ok bool, err error) {
	if name != "bully" {
		return nil, false, nil
	}
	schema, err := Find(name).Schema()
	if err != nil {
		return nil, true, err
	}
	if values, err = schema.Complete(values); err != nil {
		return nil, true, err
	}
	var c bully.Config
	if err := plugins.Decode(values, &c); err != nil {
		return nil, true, err
	}
	say, err = c.Check()
	if err != nil {
		return nil, true, err
	}
	if err := apart(c, d); err != nil {
		return nil, true, err
	}
	say = append(say, fmt.Sprintf("While a majority of the %d voters reach each other, the next leader is elected at most %s after a crash.",
		len(c.Voters), c.FailoverBound(d.Lease).Round(10*time.Millisecond)))
	if c.Node != d.Node {
		say = append(say, fmt.Sprintf("node is %q, and the node block's id is %q: leave node out, so that what is said of this node is said in one name.", c.Node, d.Node))
	}
	if silent := without(c.Voters, append(d.Peers, c.Node)); c.PreemptAfter > 0 && len(silent) > 0 {
		say = append(say, fmt.Sprintf("preempt_after has no effect for %s: a leader hands over only to a node that it exchanges heartbeats with; name each voter as a peer in the transport block.", strings.Join(silent, ", ")))
	}
	return say, true, nil
}

// apart says which of the daemon's listeners the arbiter would meet on its port.
func apart(c bully.Config, d Deployment) error {
	own := []Listener{{"bind", c.Bind}}
	if slices.Contains(c.Voters, c.Node) {
		own = append(own, Listener{"vote_listen", c.VoteListen})
	}
	for _, o := range own {
		for _, other := range d.Listeners {
			if config.SameSocket(o.Address, other.Address) {
				return &core.AttributeError{
					Attribute: o.Name, Problem: fmt.Sprintf("%s takes the port of %s, %s", o.Address, other.Name, other.Address),
					Advice: "give each a port of its own",
				}
			}
		}
	}
	return nil
}

// without returns those names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}
