package explore

import (
	"fmt"
	"strings"

	"github.com/electd/electd/core"
)

// tellStep tells a trace of one step.
func (m *mover) tellStep(i int, ev *core.Event, out []core.Action) {
	n := &m.nodes[i]
	var b strings.Builder
	fmt.Fprintf(&b, "  %4d %-3s %-9s %s", int64(m.now)/Tick-100, n.config.Session, n.state.Phase, ev.Kind)
	if ev.Message != nil {
		fmt.Fprintf(&b, ": %s", messageName(ev.Message))
	}
	if ev.Outcome != 0 {
		fmt.Fprintf(&b, ": %s", ev.Outcome)
	}
	if ev.Record != nil {
		fmt.Fprintf(&b, " %s %q", recordName(ev.Record), ev.Version)
	}
	for k := range out {
		if s := actionName(&out[k]); s != "" {
			fmt.Fprintf(&b, "\n         -> %s", s)
		}
	}
	m.tell(b.String())
}

func recordName(r *core.Record) string {
	state := "vacant"
	if r.State == core.Held {
		state = "held by " + r.Session
	}
	var electors []string
	for i := range r.Electors.Len {
		electors = append(electors, r.Electors.List[i].Identity)
	}
	return fmt.Sprintf("epoch %d revision %d %s, electors %s", r.Epoch, r.Revision, state, strings.Join(electors, " "))
}

func messageName(x *core.Message) string {
	at := fmt.Sprintf("%d/%d", x.Epoch, x.Revision)
	switch x.Kind {
	case core.Hello:
		return fmt.Sprintf("hello at %s, floor %d, question %d, asking %t", at, x.Floor, x.Seq, x.Asking)
	case core.Heartbeat:
		return fmt.Sprintf("heartbeat %d at %s left %d asking %t", x.Seq, at, x.ArbiterLeft/Tick, x.Asking)
	case core.Ack:
		return fmt.Sprintf("ack %d of %s promise %t", x.Seq, x.Holder, x.Asking)
	case core.Busy:
		return fmt.Sprintf("busy %d of %s expects %s", x.Seq, x.Holder, at)
	case core.Stale:
		return fmt.Sprintf("stale %d of %s epoch %d", x.Seq, x.Holder, x.Epoch)
	case core.Released:
		return "released " + at
	}
	return "hand over"
}

func actionName(a *core.Action) string {
	switch a.Kind {
	case core.DoRead:
		return "read"
	case core.DoWrite:
		return fmt.Sprintf("write on %q: %s", a.Expected, recordName(a.Record))
	case core.DoSend:
		return fmt.Sprintf("send %s: %s", a.Peer, messageName(&a.Message))
	case core.DoPromote:
		return fmt.Sprintf("promote at epoch %d", a.Epoch)
	case core.DoFence:
		return "fence"
	case core.DoTell:
		return string(a.Reason)
	case core.Transition:
		return fmt.Sprintf("%s to %s: %s", a.From, a.To, a.Reason)
	}
	return ""
}
