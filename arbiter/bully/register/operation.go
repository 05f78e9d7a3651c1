package register

import "time"

// Want is what an operation is for. A Want with a zero Value is a read.
type Want struct {
	Voters     int // size of the electorate
	Electorate string
	Founding   string
	Key        string
	Expected   string // version; empty: the key was never written
	Value      Value  // what to store; its Version is fresh and random
}

// Next is what the driver has to do after a step of an Operation.
type Next uint8

// What comes next.
const (
	Listen   Next = iota // nothing; more answers may come
	Ask                  // send Operation.Request to every voter
	Pause                // wait a short random while, then call Again
	Finished             // Operation.Result is there
)

// Outcome is how an operation ended.
type Outcome uint8

// The outcomes.
const (
	Stored      Outcome = iota + 1 // the swap was applied
	Found                          // the read succeeded
	Mismatch                       // the swap was not applied: another version is stored
	Unavailable                    // no majority; a swap was certainly not applied
	Unknown                        // a swap may have been applied, or may yet be
)

// Result is what an operation found out.
type Result struct {
	Outcome Outcome
	Value   Value         // Found, Mismatch: what is stored; the zero Value: never written
	Age     time.Duration // Found: least time since Value was stored; zero: unknown
}

// maxQueries is how often an operation looks without disturbing a write that is
// under way, before it settles the matter with a ballot of its own.
const maxQueries = 3

// Operation is one read or swap of one key. A swap keeps its Version through all
// of its ballots, so however many of them were begun, it is applied once.
type Operation struct {
	Want    Want
	Request Request            // what was asked last
	Answers [MaxVoters]Answer  // to Request
	Why     [MaxVoters]Refusal // the latest refusal of each voter, for messages
	Risked  bool               // an Accept of Want.Value has left: it may be applied any time
	Seen    Ballot             // the highest ballot heard of; the next one must be above it
	Queries uint8              // since the last ballot
	Own     Ballot             // fresh, for when a query shows that it is needed
	Result  Result
}

// IsRead reports whether the operation only reads.
func (o *Operation) IsRead() bool { return o.Want.Value == Value{} }

// StoredIn returns the ballot in which a swap was Stored. One that was outbid may
// have learnt so by looking, and the ballot from those who accepted it.
func (o *Operation) StoredIn() Ballot {
	ballot := o.Request.Ballot
	for i := range o.Answers {
		if o.Answers[i].Value == o.Want.Value {
			ballot = Highest(ballot, o.Answers[i].At)
		}
	}
	return ballot
}

// Begin starts an operation. A read looks first; ballot is for a swap's first
// round.
func Begin(w Want, ballot Ballot) (Operation, Next) {
	o := Operation{Want: w}
	if o.IsRead() {
		return o, o.query()
	}
	return o, o.prepare(ballot)
}

// Again begins the next round after a Pause. The ballot must be fresh and above
// Seen. It looks first: whoever outbid this operation may have settled it.
func (o *Operation) Again(ballot Ballot) Next {
	if o.Queries < maxQueries {
		o.Own = ballot
		return o.query()
	}
	return o.prepare(ballot)
}

// Expire ends the operation: its time is over.
func (o *Operation) Expire() Next {
	if o.Risked {
		return o.finish(Result{Outcome: Unknown})
	}
	return o.finish(Result{Outcome: Unavailable})
}

// Hear takes one voter's answer. Answers to earlier rounds are ignored.
func (o *Operation) Hear(a Answer) Next {
	if o.Result.Outcome != 0 || a.Round != o.Request.Round || o.Answers[a.Voter].Kind != 0 {
		return Listen
	}
	o.Answers[a.Voter] = a
	o.Why[a.Voter] = a.Refusal
	o.Seen = Highest(o.Seen, Highest(a.Promised, a.At))
	switch o.Request.Kind {
	case Query:
		return o.weighReports()
	case Prepare:
		return o.weighPromises()
	default:
		return o.weighAccepts()
	}
}

func (o *Operation) query() Next {
	o.Queries++
	return o.ask(Request{Kind: Query})
}

func (o *Operation) prepare(ballot Ballot) Next {
	o.Seen = Highest(o.Seen, ballot)
	o.Queries = 0
	return o.ask(Request{Kind: Prepare, Ballot: ballot})
}

func (o *Operation) accept(v Value) Next {
	if v == o.Want.Value {
		o.Risked = true
	}
	return o.ask(Request{Kind: Accept, Ballot: o.Request.Ballot, Value: v})
}

func (o *Operation) ask(r Request) Next {
	r.Electorate, r.Founding, r.Key = o.Want.Electorate, o.Want.Founding, o.Want.Key
	r.Round = o.Request.Round + 1
	o.Request = r
	o.Answers = [MaxVoters]Answer{}
	return Ask
}

func (o *Operation) finish(r Result) Next {
	o.Result = r
	return Finished
}

// weighReports looks for a majority that has accepted in one and the same
// ballot: that ballot is decided, and none above it was when the query began, for
// one of this majority would have told. A read has its result then.
func (o *Operation) weighReports() Next {
	set, count := valid(&o.Answers, Report)
	for i := range o.Answers {
		if set&(1<<i) == 0 {
			continue
		}
		agreed := 0
		for j := range o.Answers {
			if set&(1<<j) != 0 && o.Answers[j].At == o.Answers[i].At {
				agreed++
			}
		}
		if agreed >= majority(o.Want.Voters) {
			return o.decided(o.Answers[i].Value)
		}
	}
	if count >= majority(o.Want.Voters) {
		return Pause // they differ: a write is under way, or was left half done
	}
	return o.listenOrGiveUp(count)
}

// decided goes on from what a query found decided.
func (o *Operation) decided(v Value) Next {
	switch {
	case o.IsRead():
		return o.finish(Result{Outcome: Found, Value: v, Age: o.age(v)})
	case v == o.Want.Value:
		return o.finish(Result{Outcome: Stored, Value: v})
	case v.Version == o.Want.Expected:
		return o.prepare(o.Own)
	case o.Risked: // mine may have been decided and overwritten since
		return o.finish(Result{Outcome: Unknown})
	}
	return o.finish(Result{Outcome: Mismatch, Value: v})
}

// weighPromises goes on to accept once a majority has promised. Of the values
// they accepted, the one of the highest ballot is the only one that can have
// been decided.
func (o *Operation) weighPromises() Next {
	set, count := valid(&o.Answers, Promise)
	if count < majority(o.Want.Voters) {
		return o.listenOrGiveUp(count)
	}
	var at Ballot
	var current Value
	for i := range o.Answers {
		if set&(1<<i) != 0 && at.Below(o.Answers[i].At) {
			at, current = o.Answers[i].At, o.Answers[i].Value
		}
	}
	switch {
	case o.IsRead() && current == Value{}:
		return o.finish(Result{Outcome: Found})
	case o.IsRead():
		o.Result.Age = o.age(current)
		return o.accept(current)
	case current.Version == o.Want.Expected || current.Version == o.Want.Value.Version:
		return o.accept(o.Want.Value)
	case o.Risked: // as in decided
		return o.finish(Result{Outcome: Unknown})
	case current == Value{}:
		return o.finish(Result{Outcome: Mismatch})
	}
	return o.accept(current)
}

// weighAccepts ends the operation once a majority has accepted. A value that was
// only found is decided first, too: else a later ballot might not see it.
func (o *Operation) weighAccepts() Next {
	_, count := valid(&o.Answers, Accepted)
	if count < majority(o.Want.Voters) {
		return o.listenOrGiveUp(count)
	}
	switch {
	case o.IsRead():
		return o.finish(Result{Outcome: Found, Value: o.Request.Value, Age: o.Result.Age})
	case o.Request.Value == o.Want.Value:
		return o.finish(Result{Outcome: Stored, Value: o.Want.Value})
	}
	return o.finish(Result{Outcome: Mismatch, Value: o.Request.Value})
}

// listenOrGiveUp waits while the voters that have not answered could still make
// a majority with the count that has. Being outbid, or having heard a voter that
// was replaced meanwhile, is worth another round; anything else is not.
func (o *Operation) listenOrGiveUp(count int) Next {
	open := o.Want.Voters
	again := false
	for i := range o.Want.Voters {
		if o.Answers[i].Kind != 0 {
			open--
		}
		again = again || o.Answers[i].Refusal == Outbid || outdated(&o.Answers, i)
	}
	switch {
	case count+open >= majority(o.Want.Voters):
		return Listen
	case again:
		return Pause
	}
	return o.Expire()
}

// age returns the longest time any voter has known v to be stored. Each of them
// accepted it after the write began, so none of these is too long.
func (o *Operation) age(v Value) time.Duration {
	var age time.Duration
	for i := range o.Answers {
		if o.Answers[i].Value == v {
			age = max(age, o.Answers[i].Age)
		}
	}
	return age
}
