package sim

import (
	"fmt"
	"strings"

	"github.com/electd/electd/core"
)

// traceStep tells the trace of one step: the event, the phase, the actions.
func (w *World) traceStep(n *node, ev *core.Event) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-7s %-10s %s", n.config.Session, n.state.Phase, describeEvent(ev))
	for i := range n.out {
		fmt.Fprintf(&b, "\n%14s          -> %s", "", describeAction(&n.out[i]))
	}
	w.say("%s", b.String())
}

func describeEvent(ev *core.Event) string {
	switch ev.Kind {
	case core.Ticked:
		return "tick"
	case core.ReadDone:
		s := fmt.Sprintf("read %s", ev.Outcome)
		if ev.Outcome == core.Applied {
			s += fmt.Sprintf(" found %d version %q age %s", ev.Found, ev.Version, ev.Age)
		}
		if ev.Record != nil {
			s += fmt.Sprintf(" epoch %d revision %d session %q", ev.Record.Epoch, ev.Record.Revision, ev.Record.Session)
		}
		return s
	case core.WriteDone:
		return fmt.Sprintf("write %s %q", ev.Outcome, ev.Version)
	case core.FloorSaved, core.PromoteDone, core.FenceDone:
		return fmt.Sprintf("%s op %d ok %t", eventName(ev.Kind), ev.Op, ev.OK)
	}
	if ev.Message != nil {
		return describeMessage(ev.Message) + " from " + ev.Message.Session
	}
	return fmt.Sprintf("%s %s%s", eventName(ev.Kind), ev.Peer, ev.Target)
}

func describeMessage(m *core.Message) string {
	switch m.Kind {
	case core.Hello:
		return fmt.Sprintf("hello floor %t %d at %d/%d eligible %t question %d asking %t", m.HasFloor, m.Floor, m.Epoch, m.Revision, m.Eligible, m.Seq, m.Asking)
	case core.Heartbeat:
		return fmt.Sprintf("heartbeat %d at %d/%d %s left %s asking %t", m.Seq, m.Epoch, m.Revision, m.Version, m.ArbiterLeft, m.Asking)
	case core.Ack:
		return fmt.Sprintf("ack %d epoch %d promise %t", m.Seq, m.Epoch, m.Asking)
	case core.Busy:
		return fmt.Sprintf("busy %d expects %d/%d", m.Seq, m.Epoch, m.Revision)
	case core.Stale:
		return fmt.Sprintf("stale %d epoch %d", m.Seq, m.Epoch)
	case core.Released:
		return fmt.Sprintf("released %d/%d successor %q", m.Epoch, m.Revision, m.Successor)
	}
	return fmt.Sprintf("message %d", m.Kind)
}

func describeAction(a *core.Action) string {
	switch a.Kind {
	case core.DoRead:
		return fmt.Sprintf("read op %d", a.Op)
	case core.DoWrite:
		return fmt.Sprintf("write op %d on %q intent %d: epoch %d revision %d session %q electors %v", a.Op, a.Expected, a.Intent,
			a.Record.Epoch, a.Record.Revision, a.Record.Session, a.Record.Electors.List[:a.Record.Electors.Len])
	case core.DoSend:
		return fmt.Sprintf("send %s: %s", a.Peer, describeMessage(&a.Message))
	case core.DoSave:
		return fmt.Sprintf("save op %d floor %d", a.Op, a.Epoch)
	case core.DoPromote:
		return fmt.Sprintf("promote op %d epoch %d", a.Op, a.Epoch)
	case core.DoFence:
		return fmt.Sprintf("fence op %d until %d", a.Op, a.Until)
	case core.DoDemote:
		return "demote"
	case core.DoFollow:
		return "follow " + a.Peer
	case core.DoAnswer:
		return fmt.Sprintf("answer op %d: %s", a.Op, a.Reason)
	case core.DoTell:
		return "tell: " + string(a.Reason)
	case core.Transition:
		return fmt.Sprintf("%s -> %s: %s", a.From, a.To, a.Reason)
	}
	return "?"
}

func eventName(k core.EventKind) string { return k.String() }
