package bully_test

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/electd/electd/client"
)

// opening is a moment from which a node's guard was open.
type opening struct {
	node  string
	epoch uint64
	at    time.Time
}

// openings are all of them, as the daemons' event streams tell. All clocks are
// this machine's.
type openings struct {
	mu   sync.Mutex
	all  []opening
	news chan struct{} // closed at the next one
}

func (o *openings) add(one opening) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, one)
	close(o.news)
	o.news = make(chan struct{})
}

// above returns the first opening above an epoch, not before an instant, and what
// is closed when there is another one.
func (o *openings) above(epoch uint64, since time.Time) (opening, bool, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.all {
		if one.epoch > epoch && !one.at.Before(since) {
			return one, true, nil
		}
	}
	return opening{}, false, o.news
}

// api is the client of a node's daemon.
func (x *example) api(node string) *client.Client {
	x.t.Helper()
	c, err := client.New("unix://"+filepath.Join(x.dir, "data", node, "api.sock"), client.Options{})
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(c.Close)
	return c
}

// watch follows all nodes' events, through their restarts, until the test ends.
func (x *example) watch() *openings {
	o := &openings{news: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	for _, node := range x.names() {
		c := x.api(node)
		following.Go(func() {
			for e := range c.Events(ctx, "") {
				if t := e.Transition; t != nil && t.To == "leading" {
					o.add(opening{node: node, epoch: t.Epoch, at: t.At})
				}
			}
		})
	}
	x.t.Cleanup(func() {
		cancel()
		following.Wait()
	})
	return o
}

// next waits for the first guard that opens above an epoch, from an instant on.
func (x *example) next(epoch uint64, since time.Time, within time.Duration) opening {
	x.t.Helper()
	late := time.After(within)
	for {
		one, ok, news := x.opened.above(epoch, since)
		if ok {
			return one
		}
		select {
		case <-news:
		case <-late:
			x.t.Fatalf("no guard opened above epoch %d within %v", epoch, within)
		}
	}
}

// settled waits until all nodes that run may stand, and know who leads.
func (x *example) settled() {
	x.t.Helper()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		waiting := ""
		for node := range x.nodes {
			n, err := x.api(node).Node(context.Background())
			switch {
			case err != nil:
				waiting = err.Error()
			case n.Arbiter.Probe != "passed":
				waiting = node + " has not probed the voters"
			case n.Elections[0].Leader == "":
				waiting = node + " knows no leader"
			}
		}
		if waiting == "" {
			return
		}
		if time.Since(start) > 30*time.Second {
			x.t.Fatalf("not settled after 30 s: %s", waiting)
		}
	}
}
