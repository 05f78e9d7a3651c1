package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/electd/electd/core"
)

// StepDown gives up leadership, to the named node or, with an empty target, to
// anyone. On a follower the request is forwarded to the leader; the error is
// then ErrForwarded, and what becomes of it shows in the status. The arbiter is
// asked first: where the release cannot be written the service would be stopped,
// and nobody could take.
func (n *Node) StepDown(ctx context.Context, target string) error {
	if err := n.lookAtArbiter(ctx); err != nil {
		return err
	}
	answer, err := n.command(core.Event{Kind: core.StepDownAsked, Target: target})
	if err != nil {
		return err
	}
	select {
	case reason := <-answer:
		return refusal(reason)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lookAtArbiter returns an error if the arbiter does not answer a read in time.
func (n *Node) lookAtArbiter(ctx context.Context) error {
	n.mu.Lock()
	timeout, broken := n.config.ArbiterTimeout, n.broken
	n.mu.Unlock()
	if broken != nil {
		return broken
	}
	_, call := n.ask(ctx, timeout, n.read)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err != nil:
		return fmt.Errorf("the arbiter does not answer this node, and without it nobody could take over: nothing has changed. Ask again when it does, or ask another node, which may reach it (%v)", call.Err)
	}
	return nil
}

// ErrForwarded says that a command went to the leader.
var ErrForwarded = errors.New(string(core.ForwardedToLeader))

func refusal(reason core.Reason) error {
	switch reason {
	case "":
		return nil
	case core.ForwardedToLeader:
		return ErrForwarded
	}
	return errors.New(string(reason))
}

// command queues an event that will be answered once.
func (n *Node) command(ev core.Event) (<-chan core.Reason, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken != nil {
		return nil, n.broken
	}
	n.lastCmd++
	ev.Op = n.lastCmd
	answer := make(chan core.Reason, 1)
	n.commands[ev.Op] = answer
	n.put(ev)
	return answer, nil
}

func (n *Node) answerCommand(op core.OpID, reason core.Reason) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if answer, ok := n.commands[op]; ok {
		answer <- reason
		delete(n.commands, op)
	}
}

// Stand tells whether this node may stand for leader.
func (n *Node) Stand(s core.Standing) {
	n.put(core.Event{Kind: core.StandingChanged, Standing: s})
}

// Admit lets a stranger challenge as if it were an elector: the operator swears
// that every elector is gone for good.
func (n *Node) Admit() { n.put(core.Event{Kind: core.AdmitForced}) }

// Hint tells that the record has changed, or may have: a node that does not hold
// it reads it soon.
func (n *Node) Hint() { n.put(core.Event{Kind: core.Hinted}) }

// Reload replaces timings, addresses and software version; node, session and
// peers stay as they are. Leases take effect once a write that carries them is
// known applied. The error is about timings that cannot work; nothing has
// changed then.
func (n *Node) Reload(c core.Config) error {
	if err := workable(&c); err != nil {
		return fmt.Errorf("election %q: %w", n.election, err)
	}
	n.mu.Lock()
	if n.broken != nil {
		defer n.mu.Unlock()
		return n.broken
	}
	c.Election, c.Node, c.Identity = n.config.Election, n.config.Node, n.config.Identity
	c.Session, c.Previous, c.Peers = n.config.Session, n.config.Previous, n.config.Peers
	n.config = c
	n.trace.begin(&n.config, &n.state)
	n.mu.Unlock()
	n.put(core.Event{Kind: core.Reloaded})
	return nil
}

// ServiceEnded tells that the promoted service ended by itself and is not
// started again: the lease is released.
func (n *Node) ServiceEnded() { n.put(core.Event{Kind: core.ServiceEnded}) }
