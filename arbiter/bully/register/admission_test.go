package register

import "testing"

func electorate(t *testing.T, n int) Electorate {
	t.Helper()
	e, err := NewElectorate("test", []string{"a", "b", "c", "d", "e"}[:n])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func blank(e Electorate, i int, nonce string) Acceptor { return NewAcceptor(i, e.Hash(), nonce) }

// status answers the present round of d for voter a.
func status(d *Admission, a Acceptor) Next { return d.HearStatus(d.Round, a.Status()) }

func TestFoundingNeedsAllVotersBlankAtOneMoment(t *testing.T) {
	e := electorate(t, 3)
	d, next := NewAdmission(blank(e, 0, "a1"), 3)
	if next != Ask || status(&d, blank(e, 1, "b1")) != Listen {
		t.Fatal("one other voter is enough to go on")
	}
	if status(&d, blank(e, 2, "c1")) != Ask || d.Phase != Confirming {
		t.Fatalf("all are blank, phase %v: not asked again", d.Phase)
	}
	// b was wiped between the rounds: there was no moment at which all were blank
	// with these directories.
	status(&d, blank(e, 1, "b2"))
	if next := status(&d, blank(e, 2, "c1")); next == Finished {
		t.Fatal("founded with a directory that is gone")
	}
	d.Again()
	status(&d, blank(e, 1, "b2"))
	status(&d, blank(e, 2, "c1"))
	status(&d, blank(e, 1, "b2"))
	if next := status(&d, blank(e, 2, "c1")); next != Finished {
		t.Fatalf("not founded: %v in phase %v", next, d.Phase)
	}
	founder := d.Result()
	if founder.Standing.Generation != 1 || founder.Standing.Known[1] != (Incarnation{1, "b2"}) {
		t.Fatalf("%+v", founder.Standing)
	}

	// b2 is a founder, b1 is not: it would have to be let in by a majority.
	for nonce, want := range map[string]Next{"b2": Finished, "b1": Listen} {
		d, _ := NewAdmission(blank(e, 1, nonce), 3)
		if next := status(&d, founder); next != want {
			t.Errorf("%s hears of the founding: %v, want %v", nonce, next, want)
		}
	}
}

func TestOnlyTheFirstVoterFounds(t *testing.T) {
	e := electorate(t, 3)
	d, _ := NewAdmission(blank(e, 2, "c1"), 3)
	status(&d, blank(e, 0, "a1"))
	if next := status(&d, blank(e, 1, "b1")); next != Pause || d.Phase != Asking {
		t.Fatalf("the last voter goes on with %v in phase %v", next, d.Phase)
	}
}

// In an electorate of n, a transfer needs a majority without the candidate.
func TestTransferNeedsAMajorityOfOthers(t *testing.T) {
	for n, want := range map[int]bool{2: false, 3: true, 4: true, 5: true} {
		e := electorate(t, n)
		d, _ := NewAdmission(blank(e, 0, "a2"), n)
		for i := 1; i < n; i++ {
			a := blank(e, i, "x")
			a.Standing.Generation, a.Standing.Founding = 1, "f"
			a.Standing.Known[0] = Incarnation{1, "a1"}
			status(&d, a)
		}
		if d.MayStandAsCandidate() != want {
			t.Errorf("%d voters: may stand: %v", n, !want)
		}
	}
}

func TestElectorateIsItsSetOfNames(t *testing.T) {
	one, _ := NewElectorate("x", []string{"a", "b", "c"})
	two, _ := NewElectorate("x", []string{"c", "a", "b"})
	if one.Hash() != two.Hash() {
		t.Error("the order of the list matters")
	}
	for _, other := range []struct {
		cluster string
		voters  []string
	}{{"y", []string{"a", "b", "c"}}, {"x", []string{"a", "b"}}, {"x", []string{"a", "bc"}}} {
		if e, _ := NewElectorate(other.cluster, other.voters); e.Hash() == one.Hash() {
			t.Errorf("%v has the same hash", other)
		}
	}
	for n, want := range map[int]int{1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 9: 5} {
		if majority(n) != want {
			t.Errorf("majority of %d: %d", n, majority(n))
		}
	}
}

// A swap that may have been applied is never reported as certain not to be.
func TestExpiredSwapIsUnknownOnceAnAcceptHasLeft(t *testing.T) {
	e := electorate(t, 3)
	want := Want{Voters: 3, Electorate: e.Hash(), Founding: "f", Key: "k", Value: Value{Version: "v"}}
	early, _ := Begin(want, Ballot{1, "w"})
	if early.Expire(); early.Result.Outcome != Unavailable {
		t.Errorf("before any accept: %v", early.Result.Outcome)
	}
	late, _ := Begin(want, Ballot{1, "w"})
	for i := range 2 {
		late.Hear(Answer{Kind: Promise, Voter: i, Generation: 1, Round: 1})
	}
	if late.Request.Kind != Accept {
		t.Fatalf("after a majority of promises: %+v", late.Request)
	}
	if late.Expire(); late.Result.Outcome != Unknown {
		t.Errorf("after an accept: %v", late.Result.Outcome)
	}
	late.Hear(Answer{Kind: Accepted, Voter: 0, Generation: 1, Round: 2})
	if late.Result.Outcome != Unknown {
		t.Error("an answer after the end changed the result")
	}
}
