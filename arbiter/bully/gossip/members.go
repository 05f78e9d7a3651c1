package gossip

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// Config says how to gossip.
type Config struct {
	Memberlist *memberlist.Config // addresses, keys and timings; the rest is set here
	Electorate string             // hash; nodes of another one are not heard
	Meta       Meta
	Join       []string // host:port
	Rejoin     func() time.Duration
	Hear       Hearer
	Log        *slog.Logger
}

// Hearer is told what the gossip brings. Its methods must not block.
type Hearer interface {
	News(Item)
	Member(node string, m Meta)
	Gone(node string)
	Problem(name, text string) // the same name again replaces it
	NoProblem(name string)
	Happened(name, text string) // a problem that is over once it is not told again
}

// Members is this node's part of the gossip.
type Members struct {
	config Config
	list   *memberlist.Memberlist
	queue  *memberlist.TransmitLimitedQueue

	mu    sync.Mutex
	board Board

	came   chan struct{} // a node was heard
	cancel context.CancelFunc
	done   chan struct{}
}

// Start begins to gossip and to join the configured peers, again and again:
// memberlist gives up on what was away for long, and names may resolve anew.
func Start(c Config) (*Members, error) {
	m := &Members{config: c, done: make(chan struct{}), came: make(chan struct{}, 1)}
	m.queue = &memberlist.TransmitLimitedQueue{
		NumNodes:       func() int { return max(m.size(), 1) },
		RetransmitMult: c.Memberlist.RetransmitMult,
	}
	mc := c.Memberlist
	mc.Label = "electd-bully-" + c.Electorate
	mc.Delegate, mc.Events, mc.Conflict = (*delegate)(m), (*delegate)(m), (*delegate)(m)
	mc.DeadNodeReclaimTime = 10 * time.Second // a voter may come back at another address
	mc.Logger = newLogger(c.Log, c.Hear)
	list, err := memberlist.Create(mc)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.list = list
	m.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go m.keepJoining(ctx)
	return m, nil
}

func (m *Members) keepJoining(ctx context.Context) {
	defer close(m.done)
	for len(m.config.Join) > 0 {
		reached, failed := m.join(ctx)
		wait := m.config.Rejoin()
		if reached == 0 {
			wait = time.Second/2 + rand.N(time.Second/2) // alone: knock more often
		}
		var came <-chan struct{}
		if failed {
			came = m.came // it may be one that could not be joined
		}
		select {
		case <-ctx.Done():
			return
		case <-came:
		case <-time.After(wait):
		}
	}
}

// join joins every configured peer and returns how many answered, and whether any
// did not.
func (m *Members) join(ctx context.Context) (reached int, failed bool) {
	for _, address := range m.config.Join {
		if ctx.Err() != nil {
			return reached, failed
		}
		n, err := m.list.Join([]string{address})
		reached += n
		if err != nil {
			failed = true
			m.config.Hear.Problem("join "+address, fmt.Sprintf("gossip cannot join %s: %s", address, oneLine(err)))
		} else {
			m.config.Hear.NoProblem("join " + address)
		}
	}
	return reached, failed
}

// oneLine returns the one error in memberlist's list of errors.
func oneLine(err error) string {
	text := err.Error()
	if _, item, isList := strings.Cut(text, "* "); isList {
		text = item
	}
	return strings.TrimSpace(text)
}

// Spread takes an item in and passes it on; it reports whether it was news.
func (m *Members) Spread(i Item) bool {
	m.mu.Lock()
	fresh := m.board.Add(i)
	m.mu.Unlock()
	if fresh {
		m.queue.QueueBroadcast(broadcast{key: i.Key, message: encode(i)})
	}
	return fresh
}

// Address returns host:port of this node's gossip.
func (m *Members) Address() string { return m.list.LocalNode().Address() }

// Alive returns the ids of all nodes that gossip holds for alive, this one included.
func (m *Members) Alive() []string {
	var nodes []string
	for _, n := range m.list.Members() {
		nodes = append(nodes, n.Name)
	}
	return nodes
}

func (m *Members) size() int {
	m.mu.Lock()
	list := m.list
	m.mu.Unlock()
	if list == nil {
		return 0
	}
	return list.NumMembers()
}

// Close tells the others that this node leaves, briefly, and stops.
func (m *Members) Close() error {
	m.cancel()
	<-m.done
	_ = m.list.Leave(200 * time.Millisecond) // who does not hear it will find out
	return m.list.Shutdown()
}

// broadcast is one item on its way; a newer one of the same key replaces it.
type broadcast struct {
	key     string
	message []byte
}

func (b broadcast) Name() string                                { return b.key }
func (b broadcast) Message() []byte                             { return b.message }
func (b broadcast) Finished()                                   {}
func (b broadcast) Invalidates(other memberlist.Broadcast) bool { return false } // by Name
