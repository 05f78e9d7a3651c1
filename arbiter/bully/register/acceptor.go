package register

import "maps"

// Acceptor is one voter's memory. It is a plain value; Clone before changing a
// copy. Whatever a method reports as changed must be on disk, fsynced, before
// its answer is sent.
type Acceptor struct {
	Me         int
	Electorate string
	Standing   Standing
	Slots      map[string]Slot
}

// NewAcceptor returns a blank voter: one whose data directory was empty.
func NewAcceptor(me int, electorate, nonce string) Acceptor {
	return Acceptor{Me: me, Electorate: electorate, Standing: Standing{Nonce: nonce}, Slots: map[string]Slot{}}
}

// Clone returns an independent copy.
func (a Acceptor) Clone() Acceptor {
	a.Slots = maps.Clone(a.Slots)
	return a
}

// Change says what a step changed and therefore has to be on disk first.
type Change uint8

// The changes.
const (
	Nothing         Change = iota
	SlotChanged            // the slot of the request's key
	StandingChanged        // the Standing, and with Install every slot
)

// Promised returns the ballot below which this voter ignores everything for key.
func (a *Acceptor) Promised(key string) Ballot {
	return Highest(a.Standing.Floor, a.Slots[key].Promised)
}

// HighestBallot returns the highest promise this voter has given for any key.
func (a *Acceptor) HighestBallot() Ballot {
	highest := a.Standing.Floor
	for _, s := range a.Slots {
		highest = Highest(highest, s.Promised)
	}
	return highest
}

// Vote answers one request of an operation.
func (a *Acceptor) Vote(r Request) (Answer, Change) {
	answer := Answer{Voter: a.Me, Generation: a.Standing.Generation, View: a.Standing.View(), Round: r.Round}
	if why := a.mayVote(r.Electorate, r.Founding); why != 0 {
		answer.Kind, answer.Refusal = Refused, why
		return answer, Nothing
	}
	slot := a.Slots[r.Key]
	promised := a.Promised(r.Key)
	switch {
	case r.Kind == Query:
		answer.Kind, answer.At, answer.Value = Report, slot.Accepted, slot.Value
		return answer, Nothing
	case r.Kind == Prepare && promised.Below(r.Ballot):
		slot.Promised = r.Ballot
		a.Slots[r.Key] = slot
		answer.Kind, answer.At, answer.Value = Promise, slot.Accepted, slot.Value
		return answer, SlotChanged
	case r.Kind == Accept && !r.Ballot.Below(promised):
		a.Slots[r.Key] = Slot{Promised: r.Ballot, Accepted: r.Ballot, Value: r.Value}
		answer.Kind = Accepted
		return answer, SlotChanged
	}
	answer.Kind, answer.Refusal, answer.Promised = Refused, Outbid, promised
	return answer, Nothing
}

// mayVote returns why this voter takes no part in a request, zero if it does.
func (a *Acceptor) mayVote(electorate, founding string) Refusal {
	switch {
	case electorate != a.Electorate:
		return OtherElectorate
	case a.Standing.Generation == 0:
		return NotAdmitted
	case founding != a.Standing.Founding:
		return OtherFounding
	case a.Standing.Retired(a.Me):
		return Retired
	}
	return 0
}
