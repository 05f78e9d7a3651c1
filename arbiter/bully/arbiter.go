package bully

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	mathrand "math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/bully/gossip"
	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/core"
)

// Arbiter is one node's part of the bully arbiter: its vote, if it has one, its
// own reads and swaps, and its gossip. It is safe for concurrent use.
type Arbiter struct {
	config     Config
	profile    profile
	log        *slog.Logger
	electorate register.Electorate
	voter      *voter // nil on a joiner
	net        *network
	proof      *certificates // nil without TLS
	electors   electors      // net, but for tests
	writer     string        // makes this process's ballots unique
	turns      *turns
	news       *newsroom
	ranks      *ranks
	problems   *problems
	gossip     *gossiper // nil where it is off

	ctx        context.Context // ends with Close
	cancel     context.CancelFunc
	background sync.WaitGroup
	closeOnce  sync.Once
	closeErr   error
	stopServer func()

	mu       sync.Mutex
	closing  bool
	counter  uint64 // highest ballot counter used or heard of
	founding string // of the cluster, once known
}

var (
	_ core.Arbiter  = (*Arbiter)(nil)
	_ core.Watcher  = (*Arbiter)(nil)
	_ core.Prober   = (*Arbiter)(nil)
	_ core.Reporter = (*Arbiter)(nil)
)

// New starts this node's part: it opens the data directory, listens for votes,
// and begins to gossip. It does not wait for the other nodes. ctx bounds the
// start alone; Close ends what was started.
func New(ctx context.Context, c Config) (*Arbiter, error) {
	c = c.withDefaults()
	warnings, err := c.Check()
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		c.log.Warn(w)
	}
	electorate, err := register.NewElectorate(c.Cluster, c.Voters)
	if err != nil {
		return nil, wrong("voters", err.Error(), "", nil)
	}
	a := &Arbiter{
		config: c, profile: profiles[c.Profile], log: c.log.With("arbiter", "bully", "node", c.Node), electorate: electorate,
		writer: c.Node + "/" + rand.Text()[:10],
		turns:  newTurns(), news: newNewsroom(), ranks: newRanks(c.Voters), problems: newProblems(),
	}
	a.ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := a.start(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *Arbiter) start(ctx context.Context) error {
	if err := a.connect(); err != nil {
		return err
	}
	var listening net.Addr
	if a.config.isVoter() {
		var err error
		if a.voter, err = openVoter(ctx, a.config, a.electorate); err != nil {
			return err
		}
		a.net.self = a.voter
		a.setFounding(a.voter.status().Standing.Founding)
		if listening, err = a.listen(); err != nil {
			return err
		}
	}
	if a.config.Bind != gossipOff {
		if err := a.startGossip(listening); err != nil {
			return err
		}
	}
	a.spawn(a.watchOthers)
	if a.voter != nil {
		a.spawn(a.seekAdmission)
	}
	return nil
}

// rank is this node's own.
func (a *Arbiter) rank() gossip.Rank {
	return gossip.Rank{Suitability: a.config.Suitability, Node: a.config.Node}
}

// connect prepares the connections to the other voters. Nothing is dialled yet.
func (a *Arbiter) connect() error {
	var err error
	if a.proof, err = a.newCertificates(); err != nil {
		return err
	}
	a.net = &network{me: -1, peers: make([]*peer, a.electorate.Size())}
	a.electors = a.net
	if a.config.way != nil {
		a.electors = a.config.way(a.net)
	}
	for i := range a.electorate.Size() {
		node := a.electorate.Voter(i)
		if node == a.config.Node && a.config.isVoter() {
			a.net.me = i
			continue
		}
		a.net.peers[i] = &peer{
			node: node, address: func() string { return a.addressOf(node) },
			credentials: a.proof.client(node), patience: a.profile.patience,
		}
	}
	return nil
}

// addressOf returns where a voter votes, or "" as long as that is not known.
func (a *Arbiter) addressOf(node string) string {
	if address := a.config.Addresses[node]; address != "" {
		return address
	}
	if address := a.ranks.address(node); address != "" || node != a.config.Node {
		return address
	}
	return a.config.VoteListen // of the voter that this one is beside
}

func (a *Arbiter) listen() (net.Addr, error) {
	l := a.config.listener
	if l == nil {
		var err error
		if l, err = net.Listen("tcp", a.config.VoteListen); err != nil {
			return nil, wrong("vote_listen", "cannot listen", "another process may be using the port", err)
		}
	}
	a.stopServer = a.serve(l)
	return l.Addr(), nil
}

// Close leaves the gossip, stops voting and waits for everything it started.
func (a *Arbiter) Close() error {
	a.closeOnce.Do(func() {
		a.mu.Lock()
		a.closing = true
		a.mu.Unlock()
		a.cancel()
		if a.gossip != nil {
			a.gossip.close()
		}
		if a.stopServer != nil {
			a.stopServer()
		}
		if a.net != nil {
			a.net.close()
		}
		a.background.Wait()
		a.news.close()
		if a.voter != nil {
			a.closeErr = a.voter.close()
		}
	})
	return a.closeErr
}

// spawn runs f beside everything else; Close waits for it. It reports false, and
// does nothing, once Close has begun.
func (a *Arbiter) spawn(f func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closing {
		a.background.Go(f)
	}
	return !a.closing
}

// ballot returns a fresh ballot above seen.
func (a *Arbiter) ballot(seen register.Ballot) register.Ballot {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seen.Counter < math.MaxUint64/2 { // nobody honest gets there; never wrap around
		a.counter = max(a.counter, seen.Counter)
	}
	a.counter++
	return register.Ballot{Counter: a.counter, Writer: a.writer}
}

func (a *Arbiter) setFounding(f string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f != "" {
		a.founding = f
	}
}

// belongsTo returns the founding that this node votes in, or why it has none.
func (a *Arbiter) belongsTo() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.founding == "" {
		return "", fmt.Errorf("bully: this node is not part of the cluster yet: %s: %w", a.problems.admission(), core.ErrUnavailable)
	}
	return a.founding, nil
}

// jitter returns a random time between d and 2d.
func jitter(d time.Duration) time.Duration { return d + mathrand.N(d) }
