package sim

import (
	"fmt"
	"hash/maphash"

	"github.com/electd/electd/arbiter/bully/register"
)

// Bound is what an exploration covers. Within it, every order of events is
// tried: when each call begins, when each request reaches each voter, however
// late, or that it never does, whether the answer gets back, and when voter 0
// loses its disk.
//
// Answers are heard at once or never. That loses nothing: an operation that
// hears an answer late does what it would have done at once, only later, and
// every request it then sends may be as late as one likes anyway.
type Bound struct {
	Stored   string  // a version that all voters hold at the outset
	Writes   []Write // one swap each
	Reads    int     // reads, after the swaps in the numbering
	Ballots  int     // how often a call may try before it gives up
	Looks    bool    // calls that were outbid look before they try another ballot
	Together bool    // all calls begin before anything else happens
	GiveUp   bool    // callers may give up at any moment, not only when stuck
	DiskLoss bool    // voter 0 loses its disk once, at any moment
	Admits   int     // transfers it may try
	Flaw     Flaw    // a rule switched off, to see that the explorer notices
}

// Flaw is one rule of the register left out, from outside of it.
type Flaw uint8

// The flaws.
const (
	Sound             Flaw = iota
	VotesWhenBlank         // a voter that lost its disk votes on
	NoViews                // answers of a lost disk are counted with newer ones
	NoInstall              // a transfer hands nothing back to the others
	NoTransferPromise      // a transfer asks for no promise
	LosesPromises          // voter 0 answers before its promise is on disk
	LosesAccepts           // voter 0 answers before what it accepted is on disk
	MinorityDecides        // one voter is enough
)

const voters = 3

// Report is what an exploration saw: states, and transitions of each kind, so
// that a run which never reached what it is about can be told.
type Report struct {
	States                                    int
	Stored, Refused, Found, Unknown, GivenUp  int
	Losses, Admissions, SettledByAnotherWrite int
}

// call is one operation and what is known about it from outside.
type call struct {
	op      register.Operation
	started bool
	done    bool
	ballots int
	since   string
}

// letter is a request under way to a voter.
type letter struct {
	call    int // len(calls) stands for the admission
	voter   int
	request register.Request
	join    joinRequest
}

type world struct {
	bound   *Bound
	voters  [voters]voter
	calls   []call
	letters []letter
	history history
	lost    bool
	joining bool // voter 0 is on its way back
	join    join
}

// voter is a register.Acceptor with its one key's slot as a plain value.
type voter struct {
	standing register.Standing
	slot     register.Slot
}

func (w *world) acceptor(v int) register.Acceptor {
	a := register.Acceptor{Me: v, Electorate: "x", Standing: w.voters[v].standing, Slots: make(map[string]register.Slot, 1)}
	if slot := w.voters[v].slot; slot != (register.Slot{}) {
		a.Slots[key] = slot
	}
	return a
}

func (w *world) keep(v int, a register.Acceptor) {
	w.voters[v] = voter{standing: a.Standing, slot: a.Slots[key]}
}

// Explore tries everything within the bound. It returns the first violation
// together with the steps that lead to it. States are remembered by a 64-bit
// hash.
func Explore(b Bound) (Report, error) {
	x := explorer{seen: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	err := x.visit(newWorld(&b))
	return x.report, err
}

type explorer struct {
	seen   map[uint64]struct{}
	seed   maphash.Seed
	buffer []byte
	path   []step
	worlds []*world // one for each depth
	report Report
}

func newWorld(b *Bound) *world {
	w := &world{bound: b, history: history{writes: b.Writes, last: b.Stored}}
	var known [register.MaxVoters]register.Incarnation
	for i := range voters {
		known[i] = register.Incarnation{Generation: 1, Nonce: fmt.Sprintf("n%d", i)}
	}
	for i := range voters {
		w.voters[i].standing = register.Standing{Nonce: known[i].Nonce, Generation: 1, Founding: "f", Known: known}
		if b.Stored != "" {
			at := register.Ballot{Counter: 1, Writer: "earlier"}
			w.voters[i].slot = register.Slot{Promised: at, Accepted: at, Value: register.Value{Version: b.Stored}}
		}
	}
	want := register.Want{Voters: voters, Electorate: "x", Founding: "f", Key: key}
	if b.Flaw == MinorityDecides {
		want.Voters = 1
	}
	for _, write := range b.Writes {
		want.Expected, want.Value = write.Parent, register.Value{Version: write.Tag}
		w.calls = append(w.calls, call{op: register.Operation{Want: want}})
	}
	want.Expected, want.Value = "", register.Value{}
	for range b.Reads {
		w.calls = append(w.calls, call{op: register.Operation{Want: want}})
	}
	return w
}

// copyTo makes to a copy of w, using what memory it has.
func (w *world) copyTo(to *world) {
	to.bound, to.voters, to.history = w.bound, w.voters, w.history
	to.calls = append(to.calls[:0], w.calls...)
	to.letters = append(to.letters[:0], w.letters...)
	to.lost, to.joining = w.lost, w.joining
	if w.joining {
		to.join = w.join
	}
}

// step is one thing that can happen.
type step struct {
	kind   stepKind
	call   int
	letter letter
}

type stepKind uint8

const (
	begins stepKind = iota
	givesUp
	arrives // and the answer is heard
	lands   // and the answer is lost
	losesDisk
	standsForAdmission
)

// steps lists everything that can happen in w.
func (w *world) steps() []step {
	var all []step
	for i := range w.calls {
		c := &w.calls[i]
		switch {
		case !c.started && w.bound.Together:
			return []step{{kind: begins, call: i}}
		case !c.started:
			all = append(all, step{kind: begins, call: i})
		case w.bound.GiveUp && !c.done:
			all = append(all, step{kind: givesUp, call: i})
		}
	}
	for i, l := range w.letters {
		if w.awaited(l) {
			all = append(all, step{kind: arrives, call: i, letter: l})
		}
		if !w.awaited(l) || l.changesVoter() {
			all = append(all, step{kind: lands, call: i, letter: l})
		}
	}
	if w.bound.DiskLoss && !w.lost {
		all = append(all, step{kind: losesDisk})
	}
	if w.joining && w.join.admission.MayStandAsCandidate() && w.join.tries < w.bound.Admits {
		all = append(all, step{kind: standsForAdmission})
	}
	return all
}

// awaited reports whether somebody still waits for the answer to l.
func (w *world) awaited(l letter) bool {
	if l.call == len(w.calls) {
		return w.joining && l.join.round == w.join.admission.Round
	}
	c := &w.calls[l.call]
	return !c.done && l.request.Round == c.op.Request.Round
}

func (l letter) changesVoter() bool {
	return l.request.Kind > register.Query || l.join.phase > register.Confirming
}

// visit explores everything that can happen from w on.
func (x *explorer) visit(w *world) error {
	if !x.fresh(w) {
		return nil
	}
	depth := len(x.path)
	if depth == len(x.worlds) {
		x.worlds = append(x.worlds, &world{})
	}
	next := x.worlds[depth]
	for _, s := range w.steps() {
		x.path = append(x.path, s)
		w.copyTo(next)
		if err := x.take(next, s); err != nil {
			return fmt.Errorf("%w%s", err, x.story())
		}
		if err := x.visit(next); err != nil {
			return err
		}
		x.path = x.path[:depth]
	}
	return nil
}

func (x *explorer) fresh(w *world) bool {
	w.dropDeadLetters()
	h := x.hash(w)
	if _, known := x.seen[h]; known {
		return false
	}
	x.seen[h] = struct{}{}
	x.report.States++
	return true
}

// dropDeadLetters drops requests that can have no effect any more: nobody waits
// for the answer, and the voter will refuse.
func (w *world) dropDeadLetters() {
	kept := w.letters[:0]
	for _, l := range w.letters {
		promised := register.Highest(w.voters[l.voter].slot.Promised, w.voters[l.voter].standing.Floor)
		r := l.request
		dead := r.Kind == register.Query ||
			r.Kind == register.Prepare && !promised.Below(r.Ballot) ||
			r.Kind == register.Accept && r.Ballot.Below(promised)
		if w.awaited(l) || l.join.phase == 0 && !dead || l.join.phase > register.Confirming {
			kept = append(kept, l)
		}
	}
	w.letters = kept
}

func (x *explorer) take(w *world, s step) error {
	switch s.kind {
	case begins:
		c := &w.calls[s.call]
		var next register.Next
		c.started, c.ballots, c.since = true, 1, w.history.last
		c.op, next = register.Begin(c.op.Want, register.Ballot{Counter: 2, Writer: writer(s.call)})
		return x.follow(w, s.call, next)
	case givesUp:
		x.report.GivenUp++
		return x.follow(w, s.call, w.calls[s.call].op.Expire())
	case losesDisk:
		x.report.Losses++
		w.loseDisk()
		return nil
	case standsForAdmission:
		w.join.tries++
		x.followJoin(w, w.join.admission.Candidate(
			register.Ballot{Counter: w.join.admission.Seen.Counter + 1, Writer: fmt.Sprint("j", w.join.tries)}))
		return nil
	}
	w.letters[s.call] = w.letters[len(w.letters)-1]
	w.letters = w.letters[:len(w.letters)-1]
	heard := s.kind == arrives
	if s.letter.call == len(w.calls) {
		x.deliverJoin(w, s.letter, heard)
		return nil
	}
	answer := w.vote(s.letter.voter, s.letter.request)
	if !heard {
		return nil
	}
	return x.follow(w, s.letter.call, w.calls[s.letter.call].op.Hear(answer))
}

// follow does what an operation asks for.
func (x *explorer) follow(w *world, i int, next register.Next) error {
	c := &w.calls[i]
	switch next {
	case register.Ask:
		for v := range voters {
			w.letters = append(w.letters, letter{call: i, voter: v, request: c.op.Request})
		}
	case register.Pause:
		if c.ballots >= w.bound.Ballots {
			return x.follow(w, i, c.op.Expire())
		}
		c.ballots++
		if !w.bound.Looks {
			c.op.Queries = 3 // straight to the next ballot
		}
		return x.follow(w, i, c.op.Again(register.Ballot{Counter: c.op.Seen.Counter + 1, Writer: writer(i)}))
	case register.Finished:
		c.done = true
		x.count(c)
		return w.history.told(c.op.Want, c.op.Result, c.since)
	}
	return nil
}

func (x *explorer) count(c *call) {
	switch c.op.Result.Outcome {
	case register.Stored:
		x.report.Stored++
		if c.ballots > 1 && c.op.Risked {
			x.report.SettledByAnotherWrite++
		}
	case register.Mismatch:
		x.report.Refused++
	case register.Found:
		x.report.Found++
	case register.Unknown:
		x.report.Unknown++
	}
}

func writer(call int) string { return fmt.Sprint("w", call) }

// vote is the acceptor's answer, less what the flaw takes away.
func (w *world) vote(v int, r register.Request) register.Answer {
	a := w.acceptor(v)
	before := a.Slots[key]
	answer, _ := a.Vote(r)
	after := a.Slots[key]
	switch {
	case w.bound.Flaw == LosesPromises && v == 0 && r.Kind == register.Prepare:
		after.Promised = before.Promised
	case w.bound.Flaw == LosesAccepts && v == 0 && r.Kind == register.Accept:
		after = before
	case w.bound.Flaw == NoViews:
		answer.View = register.View{}
	}
	a.Slots[key] = after
	w.keep(v, a)
	return answer
}
