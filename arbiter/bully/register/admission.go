package register

// Admission lets a voter with an empty data directory in. Such a voter cannot
// know whether the cluster is new or its disk was lost, and what it once
// promised and accepted is gone; so it neither promises nor accepts until one of
// three things is known:
//
//   - Every voter's data directory is empty, all at one moment: the cluster is
//     new. Two rounds of asking show the moment, the second beginning after the
//     first has ended. Only the first voter founds, so there is one founding.
//   - A voter of a founding names this very data directory among its founders:
//     nothing was ever asked of it, so nothing was lost.
//   - A majority made up of other voters has noted this voter's new incarnation,
//     promised a ballot above all others for every key and accepted in it what
//     was decided: nothing that was lost can matter any more, and no answer of
//     the lost incarnation is counted with one of theirs.
type Admission struct {
	Voters     int
	Electorate string
	Me         int
	Nonce      string

	Phase     Phase
	Round     uint32
	Ballot    Ballot
	As        Incarnation // candidate: as what it asks to be admitted
	Founding  string
	Values    map[string]Value
	Statuses  [MaxVoters]Status
	Heard     [MaxVoters]bool // Statuses or Transfers of this round
	First     [MaxVoters]string
	Transfers [MaxVoters]AdmitAnswer
	Seen      Ballot
	Why       [MaxVoters]Refusal
}

// Phase says how far an Admission has come.
type Phase uint8

// The phases.
const (
	Asking     Phase = iota + 1 // what are you?
	Confirming                  // all were blank: are you still?
	Admitting                   // note my incarnation, promise, hand over
	Installing                  // accept what was decided
	Admitted                    // Standing and Slots are there
)

// NewAdmission starts the admission of a blank voter.
func NewAdmission(blank Acceptor, voters int) (Admission, Next) {
	d := Admission{Voters: voters, Electorate: blank.Electorate, Me: blank.Me, Nonce: blank.Standing.Nonce}
	if voters == 1 {
		d.First = d.nonces()
		return d, d.found()
	}
	return d, d.enter(Asking)
}

// Again starts over after a Pause.
func (d *Admission) Again() Next {
	return d.enter(Asking)
}

// found makes the data directories of First the founders of a new cluster.
func (d *Admission) found() Next {
	d.Phase, d.Founding = Admitted, founding(d.Electorate, d.First)
	d.As = Incarnation{Generation: 1, Nonce: d.Nonce}
	return Finished
}

func (d *Admission) enter(p Phase) Next {
	d.Phase = p
	d.Round++
	d.Heard = [MaxVoters]bool{}
	d.Transfers = [MaxVoters]AdmitAnswer{}
	return Ask
}

// HearStatus takes another voter's answer to the question of a round. ballot is
// a fresh one with a Counter above Seen; it is used if a transfer begins now.
func (d *Admission) HearStatus(round uint32, s Status) Next {
	if round != d.Round || d.Heard[s.Voter] || s.Voter == d.Me || d.Phase > Confirming {
		return Listen
	}
	if s.Electorate != d.Electorate {
		d.Why[s.Voter] = OtherElectorate
		return Listen
	}
	d.Heard[s.Voter], d.Statuses[s.Voter], d.Why[s.Voter] = true, s, 0
	d.Seen = Highest(d.Seen, s.Highest)
	if s.Standing.Founding != "" && s.Standing.Known[d.Me] == (Incarnation{Generation: 1, Nonce: d.Nonce}) {
		d.Phase, d.Founding = Admitted, s.Standing.Founding
		d.As = Incarnation{Generation: 1, Nonce: d.Nonce}
		return Finished
	}
	switch blank, admitted := d.count(); {
	case blank == d.Voters-1 && d.Me != 0:
		return Pause // the first voter founds; ask again
	case blank == d.Voters-1 && d.Phase == Asking:
		d.First = d.nonces()
		return d.enter(Confirming)
	case blank == d.Voters-1 && d.nonces() == d.First:
		return d.found()
	case admitted >= majority(d.Voters):
		return Pause // ready for Candidate
	case blank+admitted == d.Voters-1:
		return Pause
	}
	return Listen
}

// MayStandAsCandidate reports whether a majority of other voters is admitted, so
// that a transfer can be tried.
func (d *Admission) MayStandAsCandidate() bool {
	_, admitted := d.count()
	return d.Phase == Asking && admitted >= majority(d.Voters)
}

// Candidate begins a transfer with a fresh ballot above Seen.
func (d *Admission) Candidate(ballot Ballot) Next {
	d.As = Incarnation{Generation: 2, Nonce: d.Nonce}
	for i := range d.Voters {
		if !d.Heard[i] || d.Statuses[i].Standing.Generation == 0 {
			continue
		}
		known := d.Statuses[i].Standing.Known[d.Me]
		if known.Nonce == d.Nonce {
			d.As.Generation = max(d.As.Generation, known.Generation)
		} else {
			d.As.Generation = max(d.As.Generation, known.Generation+1)
		}
		d.Founding = d.Statuses[i].Standing.Founding
	}
	d.Ballot = ballot
	d.Seen = Highest(d.Seen, ballot)
	return d.enter(Admitting)
}

// AdmitRequest is what to ask in the phase Admitting.
func (d *Admission) AdmitRequest() AdmitRequest {
	return AdmitRequest{Electorate: d.Electorate, Founding: d.Founding, Voter: d.Me, As: d.As, Ballot: d.Ballot}
}

// InstallRequest is what to ask in the phase Installing.
func (d *Admission) InstallRequest() InstallRequest {
	return InstallRequest{
		Electorate: d.Electorate, Founding: d.Founding, Voter: d.Me, As: d.As, Ballot: d.Ballot, Values: d.Values,
	}
}

// HearAdmit takes another voter's answer to an AdmitRequest or InstallRequest.
func (d *Admission) HearAdmit(round uint32, a AdmitAnswer) Next {
	if round != d.Round || d.Heard[a.Voter] || a.Voter == d.Me || d.Phase < Admitting || d.Phase > Installing {
		return Listen
	}
	d.Heard[a.Voter], d.Transfers[a.Voter], d.Why[a.Voter] = true, a, a.Refusal
	d.Seen = Highest(d.Seen, a.Promised)
	count, open := 0, 0
	for i := range d.Voters {
		switch {
		case i == d.Me:
		case !d.Heard[i]:
			open++
		case d.Transfers[i].Refusal == 0 && !d.replaced(i):
			count++
		}
	}
	switch {
	case count >= majority(d.Voters) && d.Phase == Admitting:
		d.Values = d.decided()
		return d.enter(Installing)
	case count >= majority(d.Voters):
		d.Phase = Admitted
		return Finished
	case count+open < majority(d.Voters):
		return Pause
	}
	return Listen
}

// Result returns the voter as it is once Admitted. It is to be on disk before
// its first answer.
func (d *Admission) Result() Acceptor {
	a := NewAcceptor(d.Me, d.Electorate, d.Nonce)
	a.Standing.Generation, a.Standing.Founding, a.Standing.Floor = d.As.Generation, d.Founding, d.Ballot
	if d.Founding == founding(d.Electorate, d.First) {
		for i := range d.Voters {
			a.Standing.Known[i] = Incarnation{Generation: 1, Nonce: d.First[i]}
		}
	}
	for i := range d.Voters {
		if d.Heard[i] && d.Statuses[i].Standing.Founding == d.Founding {
			a.Standing = a.Standing.Learn(d.Statuses[i].Standing.Known)
		}
		a.Standing = a.Standing.Learn(d.Transfers[i].Standing.Known)
	}
	a.Standing = a.Standing.Learn(d.self())
	for key, v := range d.Values {
		a.Slots[key] = Slot{Promised: d.Ballot, Accepted: d.Ballot, Value: v}
	}
	return a
}

func (d *Admission) self() (known [MaxVoters]Incarnation) {
	known[d.Me] = d.As
	return known
}

func (d *Admission) count() (blank, admitted int) {
	for i := range d.Voters {
		switch {
		case !d.Heard[i]:
		case d.Statuses[i].Standing.Generation == 0:
			blank++
		default:
			admitted++
		}
	}
	return blank, admitted
}

func (d *Admission) nonces() (n [MaxVoters]string) {
	for i := range d.Voters {
		n[i] = d.Statuses[i].Standing.Nonce
	}
	n[d.Me] = d.Nonce
	return n
}

// replaced reports whether voter i's answer came from a data directory that
// another answer knows to be replaced.
func (d *Admission) replaced(i int) bool {
	for j := range d.Voters {
		if d.Heard[j] && d.Transfers[j].Standing.Known[i].Generation > d.Transfers[i].Standing.Generation {
			return true
		}
	}
	return false
}

// decided returns, key by key, the value of the highest ballot handed over.
func (d *Admission) decided() map[string]Value {
	at := map[string]Ballot{}
	values := map[string]Value{}
	for i := range d.Voters {
		for key, s := range d.Transfers[i].Slots {
			if at[key].Below(s.Accepted) {
				at[key], values[key] = s.Accepted, s.Value
			}
		}
	}
	return values
}
