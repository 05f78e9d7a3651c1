package node

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/electd/electd/core"
)

// perform starts the actions of one step. None of them is waited for.
func (n *Node) perform(ctx context.Context, actions []core.Action) {
	for i := range actions {
		a := &actions[i]
		switch a.Kind {
		case core.DoRead:
			n.call(ctx, a.Timeout, a.Op, n.read)
		case core.DoWrite:
			n.write(ctx, a)
		case core.DoSend:
			n.send(a)
		case core.DoSave:
			n.save(ctx, a.Op, a.Epoch)
		case core.DoPromote:
			n.service.Promote(a.Epoch, n.answer(core.PromoteDone, a.Op))
		case core.DoFence:
			n.service.Fence(a.Epoch, a.Until, n.answer(core.FenceDone, a.Op))
		case core.DoDemote:
			n.service.Demote(a.Epoch)
		case core.DoFollow:
			n.service.Follow(a.Epoch, a.Peer)
		case core.DoAnswer:
			n.answerCommand(a.Op, a.Reason)
		case core.DoTell:
			n.observer.Told(a.Reason, a.Epoch)
		case core.Transition:
			n.observer.Changed(Change{
				At: time.Now(), From: a.From, To: a.To, Epoch: a.Epoch, Reason: a.Reason, Leader: n.holder(),
			})
		}
	}
}

// answer returns the function that answers a hook.
func (n *Node) answer(kind core.EventKind, op core.OpID) func(bool) {
	return func(ok bool) { n.put(core.Event{Kind: kind, Op: op, OK: ok}) }
}

func (n *Node) send(a *core.Action) {
	if n.transport == nil {
		return
	}
	m := a.Message
	m.WallClock = time.Now().UnixNano()
	n.observer.Sent(a.Peer, m.Kind)
	n.transport.Send(a.Peer, m)
}

func (n *Node) save(ctx context.Context, op core.OpID, epoch core.Epoch) {
	n.running.Go(func() {
		err := n.floors.save(ctx, epoch)
		if err != nil {
			n.observer.Failed("save the floor", err)
		}
		n.put(core.Event{Kind: core.FloorSaved, Op: op, Epoch: epoch, OK: err == nil})
	})
}

// call makes one call to the arbiter, the answer to which is an event.
func (n *Node) call(ctx context.Context, timeout time.Duration, op core.OpID, do func(context.Context) (core.Event, Call)) {
	n.running.Go(func() {
		ev, _ := n.ask(ctx, timeout, do)
		ev.Op = op
		n.put(ev)
	})
}

// ask makes one call to the arbiter and answers it once: with what do returns,
// or, if that does not come by the deadline, as the kind of call must be
// answered when nothing is known.
func (n *Node) ask(ctx context.Context, timeout time.Duration, do func(context.Context) (core.Event, Call)) (core.Event, Call) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	ev, call := do(ctx)
	call.Took = time.Since(start)
	n.count(call)
	n.observer.Answered(call)
	return ev, call
}

func (n *Node) read(ctx context.Context) (core.Event, Call) {
	ev := core.Event{Kind: core.ReadDone}
	got, err := await(ctx, func() (core.Snapshot, error) { return n.arbiter.Read(ctx, n.key) })
	ev.Outcome = core.ReadOutcome(err)
	if ev.Outcome == core.Corrupt {
		ev.Outcome, ev.Found = core.Applied, core.FoundCorrupt
		return ev, Call{Outcome: core.Corrupt, Err: err}
	}
	if err != nil {
		return ev, Call{Outcome: ev.Outcome, Err: err}
	}
	if !got.StoreTime.IsZero() {
		ev.StoreDate = got.StoreTime.Unix()
	}
	if got.Version == "" {
		ev.Found = core.FoundAbsent
		return ev, Call{Outcome: core.Applied}
	}
	record, found, err := core.Decode(got.Record)
	ev.Found, ev.Record, ev.Version, ev.Age = found, &record, got.Version, max(0, got.Age)
	switch found {
	case core.FoundNewer:
		ev.Record = nil
		return ev, Call{Outcome: core.Applied} // whole, only not for this version to read
	case core.FoundCorrupt:
		ev.Record = nil
		return ev, Call{Outcome: core.Corrupt, Err: err}
	}
	return ev, Call{Outcome: core.Applied}
}

func (n *Node) write(ctx context.Context, a *core.Action) {
	record, err := core.Encode(a.Record)
	swap := core.Swap{Key: n.key, Expected: a.Expected, Record: record, Intent: a.Intent}
	n.call(ctx, a.Timeout, a.Op, func(ctx context.Context) (core.Event, Call) {
		var version core.Version
		if err == nil {
			version, err = await(ctx, func() (core.Version, error) { return n.arbiter.CompareAndSwap(ctx, swap) })
			if err == nil && version == "" {
				err = core.ErrUnknown // an arbiter must not accept without saying as what
			}
		} else {
			err = errInvalidRecord{err}
		}
		outcome := core.WriteOutcome(err)
		return core.Event{Kind: core.WriteDone, Outcome: outcome, Version: version},
			Call{Intent: swap.Intent, Outcome: outcome, Err: err}
	})
}

// errInvalidRecord is a record that could not be encoded: certainly not written.
type errInvalidRecord struct{ error }

func (e errInvalidRecord) Unwrap() error { return core.ErrInvalid }

// await returns do's result, or ctx's error without a code if it does not come
// by the deadline: an arbiter that hangs is answered for. So is one that panics:
// it must not take every other election down with it.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	came := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if cause := recover(); cause != nil {
				r.err = fmt.Errorf("the arbiter panicked: %v\n%s", cause, debug.Stack())
			}
			came <- r
		}()
		r.value, r.err = do()
	}()
	select {
	case r := <-came:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-came: // it came as well: prefer what is known
		return r.value, r.err
	case <-time.After(grace):
		var none T
		return none, ctx.Err()
	}
}

// grace is how long past its deadline an arbiter may still say what it knows.
const grace = 20 * time.Millisecond
