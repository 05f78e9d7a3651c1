package bully

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

func gossipKey(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32))
}

// keyed gives each node the keys that keys says, the first of which encrypts.
func (c *cluster) keyed(keys func(node string) []string) {
	c.gossiping()
	found := c.config
	c.config = func(config *Config) {
		found(config)
		k := keys(config.Node)
		config.GossipKey, config.GossipKeys = k[0], k[1:]
	}
}

// The gossip key is changed as docs/arbiter-bully.md says, one node after the
// other, in three steps. All the while two voters find each other by gossip
// alone, and elect.
func TestGossipKeyIsChangedNodeByNode(t *testing.T) {
	t.Parallel()
	old, young := gossipKey(1), gossipKey(2)
	have := map[string][]string{"a": {old}, "b": {old}, "c": {old}}
	c := newCluster(t, 3)
	c.keyed(func(node string) []string { return have[node] })
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("a", lease, "", "before")
	for _, keys := range [][]string{{old, young}, {young, old}, {young}} {
		for _, node := range c.voters {
			c.stop(node)
			have[node] = keys
			c.start(node)
			record := fmt.Sprintf("%s has %d keys", node, len(keys))
			eventually(t, record, func() error {
				next, err := c.swap(node, lease, v, record)
				if core.WriteOutcome(err) == core.Unknown {
					t.Fatal(err)
				}
				if err == nil {
					v = next
				}
				return err
			})
			for other, a := range c.nodes {
				if all := strings.Join(a.Problems(), "\n"); strings.Contains(all, "decrypt") {
					t.Errorf("%s: %s: %s", record, other, all)
				}
			}
		}
	}
}

// A node with a key of its own is outside the gossip, and is named by the others;
// where addresses are configured it votes all the same.
func TestWrongGossipKeyCostsNoVote(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.keyed(func(node string) []string {
		if node == "c" {
			return []string{gossipKey(9)}
		}
		return []string{gossipKey(1)}
	})
	keyed := c.config
	c.config = func(config *Config) {
		addresses := config.Addresses
		keyed(config)
		config.Addresses = addresses
	}
	c.start("a", "b", "c")
	c.ready()
	c.problem("a", "gossip_key differs between nodes")
	c.stop("b")
	v := c.mustSwap("a", lease, "", "with c")
	c.expect("c", lease, "with c", v)
	if err := c.take(within(t, 5*time.Second), "c", v); err != nil {
		t.Errorf("c takes: %v", err)
	}
}
