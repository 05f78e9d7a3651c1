package core

import (
	"fmt"
	"strings"
	"time"
)

// Explain says in one sentence how an election stands on this node, for people.
func Explain(c *Config, s *State, now Instant) string {
	t := turn{State: s, c: c, now: now}
	switch s.Phase {
	case Leading:
		return "leading: " + t.explainAuthority()
	case Promoting:
		return "won the lease, the service is being promoted: " + t.explainAuthority()
	case Fenced:
		return fmt.Sprintf("fenced at epoch %d because %s; waits for %s", s.View.Record.Epoch, s.Because, t.fenceWaits())
	case Releasing:
		return fmt.Sprintf("releasing epoch %d: %s", s.View.Record.Epoch, s.Because) + t.releaseWaits()
	case Taking:
		return "taking the lease: " + string(s.Because)
	}
	if why := t.explainStanding(); why != "" {
		return why
	}
	if s.Phase == Following {
		return t.explainFollowing()
	}
	return t.explainNoLease()
}

func (t *turn) explainAuthority() string {
	others := t.View.Record.Electors.Len - 1
	switch {
	case others <= 0:
		return fmt.Sprintf("alone, renewed at the arbiter every %s", poll(t.View.Record.ArbiterLease).Round(time.Millisecond))
	case t.allReachable() && others == 1:
		return "the other elector acknowledges"
	case t.allReachable():
		return fmt.Sprintf("all %d other electors acknowledge", others)
	}
	var silent []string
	for i, node := range t.c.Peers {
		if t.View.Record.Electors.Identity(node) != "" && !t.Peers[i].Reachable {
			silent = append(silent, node)
		}
	}
	return "on the arbiter's lease, without word from " + strings.Join(silent, ", ")
}

func (t *turn) fenceWaits() string {
	if !t.epochSaved() {
		return diskWaits
	}
	return "a write to the arbiter or for all electors"
}

func (t *turn) releaseWaits() string {
	if !t.epochSaved() {
		return "; waits for " + diskWaits
	}
	return ""
}

const diskWaits = "the epoch to be saved in the data directory"

func (t *turn) explainStanding() string {
	var why Reason
	switch {
	case t.stranger():
		why = ToldStranger
	case t.View.Found == FoundCorrupt:
		why = ToldRecordCorrupt
	case t.View.Found == FoundNewer:
		why = ToldFormatNewer
	}
	return string(why)
}

func (t *turn) explainFollowing() string {
	text := fmt.Sprintf("%s leads at epoch %d", t.View.Holder, t.View.Heard.Epoch)
	silent := t.Vow.Contact == 0 || t.now >= t.Vow.Contact.Add(t.c.HeartbeatLease)
	if silent && len(t.c.Peers) > 0 {
		text += ", without word from it"
	}
	if why := t.whyNotEligible(); why != "" {
		text += "; this node " + why
	}
	return text
}

// whyNotEligible says why this node does not stand; nothing if it does.
func (t *turn) whyNotEligible() string {
	switch {
	case t.Standing.Paused:
		return "is paused"
	case !t.Standing.Healthy:
		return "is not healthy"
	case t.Standing.Priority <= 0:
		return "has priority 0 and never stands"
	case t.now < t.StandAfter:
		return fmt.Sprintf("stands again in %s: it could not lead here", t.StandAfter.Sub(t.now).Round(time.Second))
	}
	return ""
}

func (t *turn) explainNoLease() string {
	switch {
	case t.View.Found == 0 && t.Read.Failures > 0:
		return "the arbiter does not answer"
	case t.View.Found == 0:
		return "reading the record"
	case t.View.Found == FoundAbsent && t.newClusterWaits() != "":
		return "no record yet: " + t.newClusterWaits()
	}
	text := BecauseVacant
	if t.View.Found == FoundAbsent {
		text = BecauseAbsent
	}
	if why := t.whyNotEligible(); why != "" {
		return string(text) + "; this node " + why
	}
	return string(text)
}

// newClusterWaits says whose word a new cluster still waits for.
func (t *turn) newClusterWaits() string {
	if !t.mayFound() {
		return ""
	}
	var missing []string
	for i, node := range t.c.Peers {
		if t.awaits(i) {
			missing = append(missing, node)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "waits to hear from " + strings.Join(missing, ", ") + " that it has none either"
}

// Stranger reports whether the record names electors, and not this node.
func Stranger(c *Config, s *State) bool {
	t := turn{State: s, c: c}
	return t.stranger()
}
