package bully

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// meter counts what goes over a listener's connections, both ways.
type meter struct {
	net.Listener
	bytes *atomic.Int64
}

func (m meter) Accept() (net.Conn, error) {
	c, err := m.Listener.Accept()
	return metered{c, m.bytes}, err
}

type metered struct {
	net.Conn
	bytes *atomic.Int64
}

func (c metered) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.bytes.Add(int64(n))
	return n, err
}

func (c metered) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.bytes.Add(int64(n))
	return n, err
}

// The votes of one election whose leader renews every second, with a record of
// usual size, and followers that read once a second.
func TestTrafficOfVotes(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	var bytes atomic.Int64
	c.config = func(config *Config) {
		l, err := net.Listen("tcp", config.VoteListen)
		if err != nil {
			t.Fatal(err)
		}
		config.listener, config.Profile = meter{l, &bytes}, "lan"
	}
	c.start("a", "b", "c")
	c.ready()
	record := make([]byte, 600)
	var v core.Version
	rate := func(d time.Duration, each func()) float64 {
		before, start := bytes.Load(), time.Now()
		for tick := time.NewTicker(time.Second); time.Since(start) < d; <-tick.C {
			each()
		}
		return float64(bytes.Load()-before) / time.Since(start).Seconds() / 3
	}
	idle := rate(3*time.Second, func() {})
	busy := rate(5*time.Second, func() {
		record[0]++
		v = c.mustSwap("a", lease, v, string(record))
		for _, node := range []string{"b", "c"} {
			if _, err := c.read(node, lease); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Logf("votes: %.0f B/s a node without an election, %.0f B/s with one", idle, busy)
	if busy > 20_000 {
		t.Errorf("%.0f B/s a node", busy)
	}
}
