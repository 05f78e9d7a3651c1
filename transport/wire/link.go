package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Times of a connection, in intervals.
func deadAfter(interval time.Duration) time.Duration   { return 2 * interval }
func doubtAfter(interval time.Duration) time.Duration  { return interval / 4 }
func lookEvery(interval time.Duration) time.Duration   { return interval / 2 }
func dialTimeout(interval time.Duration) time.Duration { return interval }

// redialAfter is an interval; where heartbeats are rare, peers that start
// together still find each other within a second.
func redialAfter(interval time.Duration) time.Duration { return min(interval, time.Second) }

// openTimeout is for dialling, the handshake and the peer's opening together.
// Below a quarter second a busy machine might never succeed.
func openTimeout(interval time.Duration) time.Duration {
	return max(interval, 250*time.Millisecond)
}

// link keeps our own connection to one peer.
type link struct {
	t       *Transport
	p       *peer
	current atomic.Pointer[outbox] // nil: no connection stands
	pulse   pulse
	doubts  chan struct{}

	mu  sync.Mutex
	err error // why none stands
}

var errNotDialled = errors.New("not dialled yet")

func newLink(t *Transport, p *peer) *link {
	return &link{t: t, p: p, doubts: make(chan struct{}, 1), err: errNotDialled}
}

// run dials, and dials again at its pace or when the connection ends, whichever
// is later.
func (l *link) run(ctx context.Context) {
	for {
		pace := time.NewTimer(redialAfter(l.t.interval))
		err := l.connect(ctx)
		if ctx.Err() != nil {
			pace.Stop()
			return
		}
		l.down(err)
		select {
		case <-pace.C:
		case <-ctx.Done():
			pace.Stop()
			return
		}
	}
}

// connect makes a connection, keeps it and returns why it ended.
func (l *link) connect(ctx context.Context) error {
	if err := l.awaitHeal(ctx); err != nil {
		return err
	}
	c, err := l.dial(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	box := newOutbox(l.p)
	l.up(box)
	defer l.current.Store(nil)

	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return box.run(ctx, l.sender(ctx, c)) })
	group.Go(func() error { return l.read(c, box) })
	group.Go(func() error {
		defer c.cancel() // ends the other two
		return l.watch(ctx, box)
	})
	return group.Wait()
}

func (l *link) awaitHeal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout(l.t.interval))
	defer cancel()
	return l.p.cut.wait(ctx)
}

func (l *link) up(box *outbox) {
	l.pulse.start()
	l.p.counters.connects.Add(1)
	select {
	case <-l.doubts: // about an earlier connection
	default:
	}
	l.current.Store(box)
	l.mu.Lock()
	l.err = nil // said only now: who sees it may send
	l.mu.Unlock()
	l.t.quiet.forget("down " + l.p.node)
	l.t.log.Info("connected to peer", "peer", l.p.node, "address", l.p.address)
	l.t.roster.Up(l.p.node)
}

// down follows the end of a connection, or of an attempt to make one.
func (l *link) down(err error) {
	l.mu.Lock()
	l.err = err
	l.mu.Unlock()
	l.t.quiet.warn("down "+l.p.node, "no connection to peer", "peer", l.p.node, "address", l.p.address, "why", err.Error())
	l.t.roster.Down(l.p.node, err)
}

func (l *link) state() (connected bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err == nil, l.err
}

// doubt asks watch to look whether the connection still lives.
func (l *link) doubt() {
	select {
	case l.doubts <- struct{}{}:
	default:
	}
}

func (l *link) read(c *conversation, box *outbox) error {
	for {
		frame, err := c.stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("the peer ended the connection")
		case err != nil:
			return plain(err)
		case l.p.cut.shut():
			continue
		}
		l.pulse.heard()
		if frame.GetPong() {
			l.pulse.pongs.Add(1)
		}
		if frame.GetPing() {
			box.putPong()
		}
		l.t.receive(l.p, frame)
	}
}

// watch returns an error when the connection is dead, and has a ping sent when
// there is nothing else that would tell.
func (l *link) watch(ctx context.Context, box *outbox) error {
	interval := l.t.interval
	timer := time.NewTimer(lookEvery(interval))
	defer timer.Stop()
	for looked := time.Now(); ; looked = time.Now() {
		patience := deadAfter(interval)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.doubts:
			patience = doubtAfter(interval)
		case <-timer.C:
			// A process that was stopped itself has answers waiting to be read.
			if time.Since(looked) > interval {
				l.pulse.excuse()
			}
		}
		silence := l.pulse.silence()
		if silence >= patience {
			return fmt.Errorf("no answer for %v", silence.Round(time.Millisecond))
		}
		if l.pulse.idle() >= interval || silence >= lookEvery(interval) {
			box.putPing()
		}
		timer.Reset(min(lookEvery(interval), deadAfter(interval)-silence))
	}
}
