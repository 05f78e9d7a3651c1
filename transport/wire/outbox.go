package wire

import (
	"context"
	"runtime"
	"sync"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/transport/wire/wirepb"
)

// outbox is what waits to be sent on one stream.
type outbox struct {
	counters *counters

	mu    sync.Mutex
	queue queue
	ping  bool
	pong  bool

	wake chan struct{}
}

func newOutbox(p *peer) *outbox {
	return &outbox{counters: &p.counters, queue: queue{limit: maxQueue}, wake: make(chan struct{}, 1)}
}

func (o *outbox) put(m core.Message) {
	o.mu.Lock()
	dropped := o.queue.push(m)
	o.mu.Unlock()
	if dropped > 0 {
		o.counters.dropped.Add(uint64(dropped))
	}
	o.signal()
}

func (o *outbox) putPing() {
	o.mu.Lock()
	o.ping = true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) putPong() {
	o.mu.Lock()
	o.pong = true
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// transmit puts a frame on its way. It reports false if the frame is lost by
// Cut, and an error if the stream is at its end.
type transmit func(*pb.Frame) (sent bool, err error)

// run sends what is put, as soon as it is put, all of it in one frame, until
// ctx ends or send fails. The one yield lets others who are just sending,
// as elections with the same beat are, get into the same frame.
func (o *outbox) run(ctx context.Context, send transmit) error {
	var buffer []core.Message
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.wake:
		}
		runtime.Gosched()
		o.mu.Lock()
		buffer = o.queue.drain(buffer[:0])
		ping, pong := o.ping, o.pong
		o.ping, o.pong = false, false
		o.mu.Unlock()
		if err := o.sendAll(buffer, ping, pong, send); err != nil {
			return err
		}
		clear(buffer)
		if cap(buffer) > keptSlots {
			buffer = nil
		}
	}
}

func (o *outbox) sendAll(messages []core.Message, ping, pong bool, send transmit) error {
	for len(messages) > 0 || ping || pong {
		frame, packed := frameOf(messages)
		frame.Ping, frame.Pong = ping, pong
		messages, ping, pong = messages[packed:], false, false
		sent, err := send(frame)
		switch {
		case err != nil:
			o.counters.dropped.Add(uint64(packed + len(messages)))
			return err
		case !sent:
			o.counters.dropped.Add(uint64(packed))
		default:
			o.counters.framesSent.Add(1)
			o.counters.sent.Add(uint64(packed))
		}
	}
	return nil
}
