package register

import (
	"crypto/sha256"
	"encoding/hex"
)

// Status is what a voter says of itself when asked. Blank voters answer too.
type Status struct {
	Voter      int
	Electorate string
	Standing   Standing
	Highest    Ballot // highest promise given for any key
}

// Status returns the voter's own account.
func (a *Acceptor) Status() Status {
	return Status{Voter: a.Me, Electorate: a.Electorate, Standing: a.Standing, Highest: a.HighestBallot()}
}

// AdmitRequest asks a voter to take note of a blank voter's new incarnation, to
// promise Ballot for every key, and to hand over what it has accepted.
type AdmitRequest struct {
	Electorate string
	Founding   string
	Voter      int
	As         Incarnation
	Ballot     Ballot
}

// InstallRequest asks a voter to accept Values in Ballot.
type InstallRequest struct {
	Electorate string
	Founding   string
	Voter      int // the candidate
	As         Incarnation
	Ballot     Ballot
	Values     map[string]Value
}

// AdmitAnswer answers both. Slots is set by Admit alone.
type AdmitAnswer struct {
	Voter    int
	Refusal  Refusal // zero: done
	Promised Ballot  // Outbid: the highest promise that stands
	Standing Standing
	Slots    map[string]Slot
}

// Admit is the first half of a transfer. It is a Prepare for all keys at once
// that also makes the candidate's lost incarnation invalid in every answer this
// voter gives from now on.
func (a *Acceptor) Admit(r AdmitRequest) (AdmitAnswer, Change) {
	known := a.Standing.Known[r.Voter]
	why := a.mayVote(r.Electorate, r.Founding)
	switch {
	case why != 0:
	case r.As.Generation < known.Generation, r.As.Generation == known.Generation && r.As.Nonce != known.Nonce:
		why = Superseded
	case !a.HighestBallot().Below(r.Ballot):
		why = Outbid
	}
	if why != 0 {
		return AdmitAnswer{Voter: a.Me, Refusal: why, Promised: a.HighestBallot(), Standing: a.Standing}, Nothing
	}
	a.Standing.Known[r.Voter] = r.As
	a.Standing.Floor = r.Ballot
	return AdmitAnswer{Voter: a.Me, Standing: a.Standing, Slots: a.Clone().Slots}, StandingChanged
}

// Install is the second half: an Accept for all keys at once.
func (a *Acceptor) Install(r InstallRequest) (AdmitAnswer, Change) {
	why := a.mayVote(r.Electorate, r.Founding)
	switch {
	case why != 0:
	case a.Standing.Known[r.Voter] != r.As:
		why = Superseded
	case r.Ballot.Below(a.HighestBallot()):
		why = Outbid
	}
	if why != 0 {
		return AdmitAnswer{Voter: a.Me, Refusal: why, Promised: a.HighestBallot(), Standing: a.Standing}, Nothing
	}
	for key, v := range r.Values {
		a.Slots[key] = Slot{Promised: r.Ballot, Accepted: r.Ballot, Value: v}
	}
	return AdmitAnswer{Voter: a.Me, Standing: a.Standing}, StandingChanged
}

// founding names the founding of an electorate by the data directories in it.
func founding(electorate string, nonces [MaxVoters]string) string {
	h := sha256.New()
	h.Write([]byte(electorate))
	for _, n := range nonces {
		h.Write([]byte{0})
		h.Write([]byte(n))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
