package gossip

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/memberlist"
	"go.uber.org/goleak"

	"github.com/electd/electd/arbiter/bully/register"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ear keeps what the gossip brings to one node.
type ear struct {
	mu       sync.Mutex
	news     Board
	heard    map[string]time.Time // version: when
	members  map[string]Meta
	problems map[string]string
}

func newEar() *ear {
	return &ear{heard: map[string]time.Time{}, members: map[string]Meta{}, problems: map[string]string{}}
}

func (e *ear) News(i Item) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.news.Add(i)
	e.heard[i.Version] = time.Now()
}

func (e *ear) Member(node string, m Meta) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.members[node] = m
}

func (e *ear) Gone(node string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.members, node)
}

func (e *ear) Problem(name, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.problems[name] = text
}

func (e *ear) Happened(name, text string) { e.Problem(name, text) }

func (e *ear) NoProblem(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.problems, name)
}

func (e *ear) problem(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.problems {
		if strings.Contains(p, text) {
			return true
		}
	}
	return false
}

// ring is a set of gossiping nodes in a synctest bubble.
type ring struct {
	t      *testing.T
	net    *network
	seeds  []string // addresses every node joins
	nodes  []*Members
	ears   []*ear
	change func(i int, c *Config)
}

func newRing(t *testing.T) *ring {
	return &ring{t: t, net: newNetwork(), change: func(int, *Config) {}}
}

func (r *ring) add(n int) {
	for range n {
		i := len(r.nodes)
		tr := r.net.transport(fmt.Sprint("n", i))
		if len(r.seeds) < 3 {
			r.seeds = append(r.seeds, addressOf(tr))
		}
		mc := memberlist.DefaultLANConfig()
		mc.Name, mc.Transport = tr.name, tr
		e := newEar()
		c := Config{
			Memberlist: mc, Electorate: "x", Meta: Meta{Suitability: i}, Join: r.seeds, Hear: e,
			Rejoin: func() time.Duration { return 20 * time.Second }, Log: slog.New(slog.DiscardHandler),
		}
		r.change(i, &c)
		m, err := Start(c)
		if err != nil {
			r.t.Fatal(err)
		}
		r.nodes, r.ears = append(r.nodes, m), append(r.ears, e)
	}
}

func (r *ring) close() {
	var all sync.WaitGroup
	for _, m := range r.nodes {
		all.Go(func() { _ = m.Close() })
	}
	all.Wait()
	time.Sleep(2 * time.Minute) // memberlist's own goroutines end a little later
}

// until advances time until the condition holds, and returns how long it took.
func (r *ring) until(limit time.Duration, condition func() bool) time.Duration {
	r.t.Helper()
	start := time.Now()
	for !condition() {
		if time.Since(start) > limit {
			r.t.Fatalf("not within %v", limit)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(start)
}

func (r *ring) allSee(count int) func() bool {
	return func() bool {
		return !slices.ContainsFunc(r.nodes, func(m *Members) bool { return len(m.Alive()) != count })
	}
}

func (r *ring) allHeard(version string) func() bool {
	return func() bool {
		return !slices.ContainsFunc(r.ears[1:], func(e *ear) bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			_, heard := e.heard[version]
			return !heard
		})
	}
}

func item(n uint64) Item {
	return Item{Key: "e/lease.json", Ballot: register.Ballot{Counter: n, Writer: "n0"}, Version: fmt.Sprint("v", n)}
}

func TestNewsAndRanksReachEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRing(t)
		r.add(5)
		defer r.close()
		r.until(10*time.Second, r.allSee(5))
		r.nodes[0].Spread(item(1))
		r.until(2*time.Second, r.allHeard("v1"))
		for i, e := range r.ears {
			if e.members["n3"].Suitability != 3 {
				t.Errorf("node %d ranks n3 as %+v", i, e.members["n3"])
			}
		}
	})
}

// memberlist forgets whom it has not reached for long. However long a partition
// lasted, both sides find together within the rejoin interval.
func TestPartitionHealsAfterAnyTime(t *testing.T) {
	for _, lasting := range []time.Duration{time.Second, time.Minute, 20 * time.Minute} {
		t.Run(lasting.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRing(t)
				r.add(5)
				defer r.close()
				r.until(10*time.Second, r.allSee(5))
				left := func(node string) bool { return node == "n0" || node == "n4" }
				r.net.split(func(from, to string) bool { return left(from) != left(to) })
				time.Sleep(lasting)
				r.net.split(nil)
				took := r.until(70*time.Second, r.allSee(5))
				t.Logf("together again %v after a partition of %v", took, lasting)
				r.nodes[0].Spread(item(7))
				r.until(5*time.Second, r.allHeard("v7"))
			})
		})
	}
}

func TestDeadNodeIsNoticedAndMayReturnElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRing(t)
		r.add(4)
		defer r.close()
		r.until(10*time.Second, r.allSee(4))
		r.net.split(func(from, to string) bool { return (from == "n3") != (to == "n3") })
		r.until(40*time.Second, func() bool { return len(r.nodes[0].Alive()) == 3 })
		time.Sleep(10 * time.Second) // then its name may be used at another address
		r.change = func(_ int, c *Config) { c.Memberlist.Name = "n3" }
		r.add(1)
		r.until(10*time.Second, func() bool { return len(r.nodes[0].Alive()) == 4 })
	})
}

func TestMistakesInTheSetupAreNamed(t *testing.T) {
	key := func(b byte) []byte { return slices.Repeat([]byte{b}, 32) }
	encrypted := func(k []byte) func(*Config) {
		return func(c *Config) { c.Memberlist.Keyring, _ = memberlist.NewKeyring(nil, k) }
	}
	for name, test := range map[string]struct {
		odd  func(*Config) // node 2 has this
		rest func(*Config) // and the others this
		udp  bool
		says string
	}{
		"another key":        {odd: encrypted(key(1)), rest: encrypted(key(2)), udp: true, says: "gossip_key differs between nodes"},
		"no key":             {odd: func(*Config) {}, rest: encrypted(key(2)), udp: true, says: "gossip_key"},
		"another cluster":    {odd: func(c *Config) { c.Electorate = "y" }, udp: true, says: "another cluster"},
		"udp blocked":        {odd: func(*Config) {}, says: "let UDP pass"},
		"one name twice":     {odd: func(c *Config) { c.Memberlist.Name = "n1" }, udp: true, says: `node id "n1" is used at`},
		"name not resolving": {odd: func(c *Config) { c.Join = []string{"no-such-host.invalid:1"} }, udp: true, says: "gossip cannot join no-such-host.invalid:1"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			if name == "name not resolving" {
				testUnresolved(t)
				return
			}
			synctest.Test(t, func(t *testing.T) {
				r := newRing(t)
				r.net.noUDP = !test.udp
				r.change = func(i int, c *Config) {
					if i == 2 {
						test.odd(c)
					} else if test.rest != nil {
						test.rest(c)
					}
				}
				r.add(3)
				defer r.close()
				r.until(time.Minute, func() bool {
					return slices.ContainsFunc(r.ears, func(e *ear) bool { return e.problem(test.says) })
				})
				// Whoever is set up alike goes on.
				r.nodes[0].Spread(item(9))
				r.until(time.Minute, func() bool {
					r.ears[1].mu.Lock()
					defer r.ears[1].mu.Unlock()
					_, heard := r.ears[1].heard["v9"]
					return heard
				})
			})
		})
	}
}

// testUnresolved runs outside of a bubble: it asks the machine's resolver.
func testUnresolved(t *testing.T) {
	r := newRing(t)
	r.change = func(_ int, c *Config) { c.Join = []string{"no-such-host.invalid:1"} }
	r.add(1)
	defer func() { _ = r.nodes[0].Close() }()
	for start := time.Now(); !r.ears[0].problem("gossip cannot join no-such-host.invalid:1"); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			t.Fatal("not named")
		}
	}
}

// A key is changed in three steps without the gossip being interrupted.
func TestKeyIsChangedWithoutInterruption(t *testing.T) {
	old, young := slices.Repeat([]byte{1}, 32), slices.Repeat([]byte{2}, 32)
	steps := [][2][][]byte{ // what the two nodes have; the first key encrypts
		{{old}, {old, young}},
		{{old, young}, {young, old}},
		{{young, old}, {young}},
	}
	for n, step := range steps {
		synctest.Test(t, func(t *testing.T) {
			r := newRing(t)
			r.change = func(i int, c *Config) {
				c.Memberlist.Keyring, _ = memberlist.NewKeyring(step[i], step[i][0])
			}
			r.add(2)
			defer r.close()
			r.until(10*time.Second, r.allSee(2))
			r.nodes[0].Spread(item(uint64(n + 1)))
			r.until(5*time.Second, r.allHeard(fmt.Sprint("v", n+1)))
		})
	}
}
