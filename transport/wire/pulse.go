package wire

import (
	"sync/atomic"
	"time"
)

var epoch = time.Now()

// pulse is what tells a live connection from a dead one: whether what was sent
// on it had any answer. It is safe for concurrent use.
type pulse struct {
	lastSent   atomic.Int64 // ns since epoch
	unanswered atomic.Int64 // when the first thing was sent since the last answer; 0: nothing was
	pings      atomic.Int64 // sent so far
	pongs      atomic.Int64 // and answered
}

func now() int64 { return int64(time.Since(epoch)) }

// start forgets all: the connection is new.
func (p *pulse) start() {
	p.lastSent.Store(now())
	p.unanswered.Store(0)
	p.pings.Store(0)
	p.pongs.Store(0)
}

// sending must be called before anything is sent.
func (p *pulse) sending() {
	at := now()
	p.lastSent.Store(at)
	p.unanswered.CompareAndSwap(0, at)
}

func (p *pulse) heard() { p.unanswered.Store(0) }

// idle is for how long nothing was sent.
func (p *pulse) idle() time.Duration { return time.Duration(now() - p.lastSent.Load()) }

// silence is for how long an answer has been owed to us; 0 if none is.
func (p *pulse) silence() time.Duration {
	since := p.unanswered.Load()
	if since == 0 {
		return 0
	}
	return time.Duration(now() - since)
}

// excuse counts a silence from now on: it was this process that did not listen.
func (p *pulse) excuse() {
	if since := p.unanswered.Load(); since != 0 {
		p.unanswered.CompareAndSwap(since, now())
	}
}
