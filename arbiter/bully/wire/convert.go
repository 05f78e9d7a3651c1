// Package wire turns the register core's messages into those of votes.proto and
// back.
package wire

import (
	"time"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// FromBallot returns b's message.
func FromBallot(b register.Ballot) *bullyv1.Ballot {
	return &bullyv1.Ballot{Counter: b.Counter, Writer: b.Writer}
}

// Ballot returns m's ballot; nil is the zero ballot.
func Ballot(m *bullyv1.Ballot) register.Ballot {
	return register.Ballot{Counter: m.GetCounter(), Writer: m.GetWriter()}
}

func fromValue(v register.Value) *bullyv1.Value {
	return &bullyv1.Value{Version: v.Version, Record: []byte(v.Record)}
}

func value(m *bullyv1.Value) register.Value {
	return register.Value{Version: m.GetVersion(), Record: string(m.GetRecord())}
}

func fromSlot(s register.Slot) *bullyv1.Slot {
	return &bullyv1.Slot{Promised: FromBallot(s.Promised), Accepted: FromBallot(s.Accepted), Value: fromValue(s.Value)}
}

func slot(m *bullyv1.Slot) register.Slot {
	return register.Slot{Promised: Ballot(m.GetPromised()), Accepted: Ballot(m.GetAccepted()), Value: value(m.GetValue())}
}

// FromIncarnation returns i's message.
func FromIncarnation(i register.Incarnation) *bullyv1.Incarnation {
	return &bullyv1.Incarnation{Generation: i.Generation, Nonce: i.Nonce}
}

// Incarnation returns m's incarnation; nil is the zero one.
func Incarnation(m *bullyv1.Incarnation) register.Incarnation {
	return register.Incarnation{Generation: m.GetGeneration(), Nonce: m.GetNonce()}
}

func fromStanding(s register.Standing) *bullyv1.Standing {
	m := &bullyv1.Standing{Nonce: s.Nonce, Generation: s.Generation, Founding: s.Founding, Floor: FromBallot(s.Floor)}
	for _, k := range s.Known {
		m.Known = append(m.Known, FromIncarnation(k))
	}
	return m
}

func standing(m *bullyv1.Standing) register.Standing {
	s := register.Standing{
		Nonce: m.GetNonce(), Generation: m.GetGeneration(), Founding: m.GetFounding(), Floor: Ballot(m.GetFloor()),
	}
	for i, k := range m.GetKnown() {
		if i < len(s.Known) {
			s.Known[i] = Incarnation(k)
		}
	}
	return s
}

// FromRequest returns r's message. Its round stays with the caller.
func FromRequest(r register.Request) *bullyv1.VoteRequest {
	return &bullyv1.VoteRequest{
		Kind: uint32(r.Kind), Electorate: r.Electorate, Founding: r.Founding, Key: r.Key,
		Ballot: FromBallot(r.Ballot), Value: fromValue(r.Value),
	}
}

// Request returns m's request.
func Request(m *bullyv1.VoteRequest) register.Request {
	return register.Request{
		Kind: register.RequestKind(m.GetKind()), Electorate: m.GetElectorate(), Founding: m.GetFounding(),
		Key: m.GetKey(), Ballot: Ballot(m.GetBallot()), Value: value(m.GetValue()),
	}
}

// FromAnswer returns a's message, given by node.
func FromAnswer(a register.Answer, node string) *bullyv1.VoteAnswer {
	return &bullyv1.VoteAnswer{
		Kind: uint32(a.Kind), Generation: a.Generation, View: a.View[:], Refusal: uint32(a.Refusal),
		Promised: FromBallot(a.Promised), At: FromBallot(a.At), Value: fromValue(a.Value),
		AgeNs: int64(a.Age), Node: node,
	}
}

// Answer returns m's answer, given by voter to a request of round.
func Answer(m *bullyv1.VoteAnswer, voter int, round uint32) register.Answer {
	a := register.Answer{
		Kind: register.AnswerKind(m.GetKind()), Voter: voter, Generation: m.GetGeneration(), Round: round,
		Refusal: register.Refusal(m.GetRefusal()), Promised: Ballot(m.GetPromised()), At: Ballot(m.GetAt()),
		Value: value(m.GetValue()), Age: max(time.Duration(m.GetAgeNs()), 0),
	}
	copy(a.View[:], m.GetView())
	return a
}

// FromStatus returns s's message.
func FromStatus(s register.Status, node string, suitability int, now time.Time) *bullyv1.StatusAnswer {
	return &bullyv1.StatusAnswer{
		Electorate: s.Electorate, Node: node, Standing: fromStanding(s.Standing), Highest: FromBallot(s.Highest),
		Suitability: int64(suitability), WallClockNs: now.UnixNano(),
	}
}

// Status returns m's status, given by voter.
func Status(m *bullyv1.StatusAnswer, voter int) register.Status {
	return register.Status{
		Voter: voter, Electorate: m.GetElectorate(), Standing: standing(m.GetStanding()), Highest: Ballot(m.GetHighest()),
	}
}

// FromAdmit returns r's message; node is the candidate's id.
func FromAdmit(r register.AdmitRequest, node string) *bullyv1.AdmitRequest {
	return &bullyv1.AdmitRequest{
		Electorate: r.Electorate, Founding: r.Founding, Node: node, As: FromIncarnation(r.As), Ballot: FromBallot(r.Ballot),
	}
}

// Admit returns m's request; voter is the candidate's place.
func Admit(m *bullyv1.AdmitRequest, voter int) register.AdmitRequest {
	return register.AdmitRequest{
		Electorate: m.GetElectorate(), Founding: m.GetFounding(), Voter: voter,
		As: Incarnation(m.GetAs()), Ballot: Ballot(m.GetBallot()),
	}
}

// FromInstall returns r's message; node is the candidate's id.
func FromInstall(r register.InstallRequest, node string) *bullyv1.InstallRequest {
	m := &bullyv1.InstallRequest{Values: map[string]*bullyv1.Value{}, Candidate: FromAdmit(register.AdmitRequest{
		Electorate: r.Electorate, Founding: r.Founding, As: r.As, Ballot: r.Ballot,
	}, node)}
	for key, v := range r.Values {
		m.Values[key] = fromValue(v)
	}
	return m
}

// Install returns m's request; voter is the candidate's place.
func Install(m *bullyv1.InstallRequest, voter int) register.InstallRequest {
	c := Admit(m.GetCandidate(), voter)
	r := register.InstallRequest{
		Electorate: c.Electorate, Founding: c.Founding, Voter: voter, As: c.As, Ballot: c.Ballot,
		Values: map[string]register.Value{},
	}
	for key, v := range m.GetValues() {
		r.Values[key] = value(v)
	}
	return r
}

// FromAdmitAnswer returns a's message, given by node.
func FromAdmitAnswer(a register.AdmitAnswer, node string) *bullyv1.AdmitAnswer {
	m := &bullyv1.AdmitAnswer{
		Refusal: uint32(a.Refusal), Promised: FromBallot(a.Promised), Standing: fromStanding(a.Standing),
		Slots: map[string]*bullyv1.Slot{}, Node: node,
	}
	for key, s := range a.Slots {
		m.Slots[key] = fromSlot(s)
	}
	return m
}

// AdmitAnswer returns m's answer, given by voter.
func AdmitAnswer(m *bullyv1.AdmitAnswer, voter int) register.AdmitAnswer {
	a := register.AdmitAnswer{
		Voter: voter, Refusal: register.Refusal(m.GetRefusal()), Promised: Ballot(m.GetPromised()),
		Standing: standing(m.GetStanding()), Slots: map[string]register.Slot{},
	}
	for key, s := range m.GetSlots() {
		a.Slots[key] = slot(s)
	}
	return a
}
