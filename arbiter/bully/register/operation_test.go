package register

import "testing"

// A swap that was outbid and finds itself stored tells the ballot that it was stored
// in: news without it would be no news to anybody.
func TestSwapThatFindsItselfStoredKnowsItsBallot(t *testing.T) {
	e := electorate(t, 3)
	want := Want{Voters: 3, Electorate: e.Hash(), Founding: "f", Key: "k", Value: Value{Version: "v", Record: "r"}}
	first, second := Ballot{1, "w"}, Ballot{3, "w"}
	op, _ := Begin(want, first)
	for i := range 2 {
		op.Hear(Answer{Kind: Promise, Voter: i, Generation: 1, Round: 1})
	}
	op.Hear(Answer{Kind: Accepted, Voter: 0, Generation: 1, Round: 2})
	op.Hear(Answer{Kind: Refused, Refusal: Unreachable, Voter: 1, Round: 2}) // it has accepted, unheard
	if next := op.Hear(Answer{Kind: Refused, Refusal: Outbid, Voter: 2, Round: 2, Promised: Ballot{2, "x"}}); next != Pause {
		t.Fatalf("after it was outbid: %v", next)
	}
	op.Again(second)
	for i := range 2 {
		op.Hear(Answer{Kind: Report, Voter: i, Generation: 1, Round: 3, At: first, Value: want.Value})
	}
	if op.Result.Outcome != Stored || op.StoredIn() != first {
		t.Errorf("%v in %v; want it stored in %v", op.Result.Outcome, op.StoredIn(), first)
	}

	direct, _ := Begin(want, first)
	for i := range 2 {
		direct.Hear(Answer{Kind: Promise, Voter: i, Generation: 1, Round: 1})
	}
	for i := range 2 {
		direct.Hear(Answer{Kind: Accepted, Voter: i, Generation: 1, Round: 2})
	}
	if direct.Result.Outcome != Stored || direct.StoredIn() != first {
		t.Errorf("%v in %v; want it stored in %v", direct.Result.Outcome, direct.StoredIn(), first)
	}
}
