package core

import "testing"

// TestCreatesAnewWhenItsEpochIsOnDisk: who has a floor and creates a deleted record
// anew might forget it otherwise; what it has observed stays as it is (decision 0116).
func TestCreatesAnewWhenItsEpochIsOnDisk(t *testing.T) {
	u := followingB()
	u.vanish()
	u.now, u.Floor, u.View.StoreDate = at(50), Floor{Known: true, Epoch: 3, Saved: 3}, 1_700_000_000
	u.take()
	if u.Write.Open || u.View.Anew != 1_700_000_000 || u.Floor.Epoch != 3 {
		t.Fatalf("a write is open: %t, chose %d, the floor is %d", u.Write.Open, u.View.Anew, u.Floor.Epoch)
	}
	if u.takeAt() != Never || u.saveAt() > u.now || u.toSave() != 1_700_000_000 {
		t.Errorf("takes at %v, saves %d at %v", u.takeAt(), u.toSave(), u.saveAt())
	}
	u.Floor.Saved = u.toSave()
	if u.takeAt() > u.now {
		t.Errorf("takes at %v, with the epoch on disk", u.takeAt())
	}
	u.take()
	if !u.Write.Open || u.Write.Proposal.Epoch != 1_700_000_000 || u.Write.Expected != "" {
		t.Errorf("a write is open: %t, of epoch %d", u.Write.Open, u.Write.Proposal.Epoch)
	}
}

// TestSavesNothingAheadWhereThereIsARecord: the epoch that was chosen is forgotten
// with the absence.
func TestSavesNothingAheadWhereThereIsARecord(t *testing.T) {
	u := followingB()
	u.Floor, u.View.Anew = Floor{Known: true, Epoch: 3, Saved: 3}, 1_700_000_000
	if got := u.saveAt(); got != Never {
		t.Errorf("saves %d at %v", u.toSave(), got.Sub(origin))
	}
	u.vanish()
	u.Floor = Floor{}
	if u.take(); !u.Write.Open || u.View.Anew != 1_700_000_000 {
		t.Errorf("without a floor it waits for the disk")
	}
}
