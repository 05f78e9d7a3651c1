package sim

import "github.com/electd/electd/arbiter/bully/register"

// join is voter 0's way back after it lost its disk.
type join struct {
	admission register.Admission
	tries     int
}

// joinRequest is one request of an admission.
type joinRequest struct {
	phase register.Phase
	round uint32
	admit register.AdmitRequest
	value string // Installing: the version to accept
}

// loseDisk empties voter 0's disk. It starts again as a blank voter.
func (w *world) loseDisk() {
	w.lost = true
	old := w.voters[0].standing
	blank := register.NewAcceptor(0, "x", "n0'")
	if w.bound.Flaw == VotesWhenBlank {
		blank.Standing = old
		w.keep(0, blank)
		return
	}
	w.keep(0, blank)
	admission, _ := register.NewAdmission(blank, voters)
	w.join, w.joining = join{admission: admission}, true
	w.askJoin()
}

// askJoin sends the admission's request to the other voters.
func (w *world) askJoin() {
	d := &w.join.admission
	r := joinRequest{phase: d.Phase, round: d.Round}
	if d.Phase > register.Confirming {
		r.admit, r.value = d.AdmitRequest(), d.Values[key].Version
	}
	for v := 1; v < voters; v++ {
		w.letters = append(w.letters, letter{call: len(w.calls), voter: v, join: r})
	}
}

func (x *explorer) followJoin(w *world, next register.Next) {
	d := &w.join.admission
	switch next {
	case register.Ask:
		if w.bound.Flaw == NoInstall && d.Phase == register.Installing {
			d.Values = nil
			x.admit(w)
			return
		}
		w.askJoin()
	case register.Pause:
		if d.Phase > register.Confirming && w.join.tries < w.bound.Admits {
			d.Again()
			w.askJoin()
		}
	case register.Finished:
		x.admit(w)
	}
}

func (x *explorer) admit(w *world) {
	w.keep(0, w.join.admission.Result())
	w.joining = false
	x.report.Admissions++
}

func (x *explorer) deliverJoin(w *world, l letter, heard bool) {
	a := w.acceptor(l.voter)
	if l.join.phase == register.Asking {
		x.followJoin(w, w.join.admission.HearStatus(l.join.round, a.Status()))
		return
	}
	var answer register.AdmitAnswer
	if l.join.phase == register.Admitting {
		floor := a.Standing.Floor
		answer, _ = a.Admit(l.join.admit)
		if w.bound.Flaw == NoTransferPromise {
			a.Standing.Floor = floor
		}
	} else {
		r := l.join.admit
		give := register.InstallRequest{Electorate: r.Electorate, Founding: r.Founding, Voter: r.Voter, As: r.As, Ballot: r.Ballot}
		if l.join.value != "" {
			give.Values = map[string]register.Value{key: {Version: l.join.value}}
		}
		answer, _ = a.Install(give)
	}
	w.keep(l.voter, a)
	if heard {
		x.followJoin(w, w.join.admission.HearAdmit(l.join.round, answer))
	}
}
