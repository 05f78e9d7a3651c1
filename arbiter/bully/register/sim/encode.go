package sim

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/electd/electd/arbiter/bully/register"
)

// The encodings below tell two states apart if they can behave differently.

// hash returns the same number for two worlds that differ only in the order of
// letters under way or in the names of voters: it adds up one hash a letter and
// one a voter. Voter 0 is told apart once it may lose its disk.
func (x *explorer) hash(w *world) uint64 {
	total := x.sum(w.encode(x.buffer[:0]))
	for v := range voters {
		letters := uint64(0)
		for i := range w.letters {
			if w.letters[i].voter == v {
				letters += x.sum(w.letters[i].encode(x.buffer[:0]))
			}
		}
		b := binary.LittleEndian.AppendUint64(x.buffer[:0], letters)
		total += x.sum(w.encodeVoter(b, v))
	}
	return total
}

func (x *explorer) sum(b []byte) uint64 {
	x.buffer = b
	return maphash.Bytes(x.seed, b)
}

func (w *world) encodeVoter(b []byte, v int) []byte {
	if w.bound.DiskLoss {
		b = append(b, flag(v == 0))
	}
	b = encodeStanding(b, w.voters[v].standing)
	b = encodeSlot(b, w.voters[v].slot)
	for i := range w.calls {
		if c := &w.calls[i]; c.started && !c.done {
			b = encodeAnswer(b, c.op.Answers[v])
		}
	}
	if w.joining {
		d := &w.join.admission
		b = append(b, flag(d.Heard[v]), byte(d.Transfers[v].Refusal))
		b = encodeStanding(b, d.Statuses[v].Standing)
		b = encodeStanding(b, d.Transfers[v].Standing)
		b = encodeSlot(b, d.Transfers[v].Slots[key])
	}
	return b
}

func (w *world) encode(b []byte) []byte {
	for i := range w.calls {
		b = w.calls[i].encode(b)
	}
	b = append(b, w.history.last...)
	b = append(b, ';', byte(w.history.dead), flag(w.lost), flag(w.joining))
	if w.joining {
		d := &w.join.admission
		b = append(b, byte(w.join.tries), byte(d.Phase), byte(d.Round), byte(d.As.Generation))
		b = encodeBallot(b, d.Ballot)
		b = encodeBallot(b, d.Seen)
		b = append(b, d.Values[key].Version...)
	}
	return b
}

func (c *call) encode(b []byte) []byte {
	o := &c.op
	b = append(b, flag(c.started), flag(c.done), byte(c.ballots), byte(o.Result.Outcome))
	if !c.started || c.done {
		return b
	}
	b = append(append(b, c.since...), ';', flag(o.Risked))
	b = encodeBallot(b, o.Seen)
	b = encodeBallot(append(b, o.Queries), o.Own)
	return encodeRequest(b, o.Request)
}

func (l *letter) encode(b []byte) []byte {
	b = append(b, byte(l.call), byte(l.join.phase), byte(l.join.round))
	if l.join.phase == 0 {
		return encodeRequest(b, l.request)
	}
	b = encodeBallot(b, l.join.admit.Ballot)
	return append(b, l.join.value...)
}

func encodeRequest(b []byte, r register.Request) []byte {
	b = append(b, byte(r.Kind), byte(r.Round))
	b = encodeBallot(b, r.Ballot)
	return append(append(b, r.Value.Version...), ';')
}

func encodeAnswer(b []byte, a register.Answer) []byte {
	b = append(b, byte(a.Kind))
	if a.Kind == 0 {
		return b
	}
	b = append(b, byte(a.Generation), byte(a.Refusal))
	b = append(b, byte(a.View[0])) // nobody else's generation ever changes
	b = encodeBallot(b, a.Promised)
	b = encodeBallot(b, a.At)
	return append(append(b, a.Value.Version...), ';')
}

func encodeSlot(b []byte, s register.Slot) []byte {
	b = encodeBallot(b, s.Promised)
	b = encodeBallot(b, s.Accepted)
	return append(append(b, s.Value.Version...), ';')
}

func encodeStanding(b []byte, s register.Standing) []byte {
	b = append(b, byte(s.Generation))
	b = encodeBallot(b, s.Floor)
	return append(b, byte(s.Known[0].Generation))
}

func encodeBallot(b []byte, ballot register.Ballot) []byte {
	b = append(b, byte(ballot.Counter))
	return append(append(b, ballot.Writer...), ',')
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// story tells the steps of the present path.
func (x *explorer) story() string {
	var b strings.Builder
	for i, s := range x.path {
		fmt.Fprintf(&b, "\n%4d  %v", i+1, s)
	}
	return b.String()
}

// String says what happens in a step.
func (s step) String() string {
	switch s.kind {
	case begins:
		return fmt.Sprintf("call %d begins", s.call)
	case givesUp:
		return fmt.Sprintf("call %d gives up", s.call)
	case losesDisk:
		return "voter 0 loses its disk"
	case standsForAdmission:
		return "voter 0 stands for admission"
	}
	l := s.letter
	what := fmt.Sprintf("call %d reaches voter %d: request %d ballot %v value %q",
		l.call, l.voter, l.request.Kind, l.request.Ballot, l.request.Value.Version)
	if l.join.phase != 0 {
		what = fmt.Sprintf("the admission reaches voter %d: phase %d ballot %v", l.voter, l.join.phase, l.join.admit.Ballot)
	}
	if s.kind == lands {
		what += ", the answer is lost"
	}
	return what
}
