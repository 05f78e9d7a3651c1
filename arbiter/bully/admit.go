package bully

import (
	"context"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/arbiter/bully/wire"
	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// seekAdmission runs as long as this voter's data directory is blank.
func (a *Arbiter) seekAdmission() {
	status := a.voter.status()
	if status.Standing.Generation > 0 {
		return
	}
	a.log.Info("the data directory is empty: this voter does not vote until it is admitted", "data_dir", a.config.DataDir)
	blank := register.NewAcceptor(status.Voter, status.Electorate, status.Standing.Nonce)
	d, next := register.NewAdmission(blank, a.electorate.Size())
	var refusals [register.MaxVoters]register.Refusal // last of each voter
	for next != register.Finished {
		next = a.admissionRound(&d)
		if next == register.Finished {
			break
		}
		for i, why := range d.Why {
			if why != 0 { // a round that ends early does not ask all of them
				refusals[i] = why
			}
		}
		a.problems.setAdmission(a.admissionText(&d, refusals))
		select {
		case <-a.ctx.Done():
			return
		case <-time.After(jitter(a.profile.patience / 4)):
		}
		d.Again()
	}
	if err := a.voter.become(d.Result()); err != nil {
		return // it is logged, and among the problems
	}
	a.setFounding(d.Founding)
	a.problems.setAdmission("")
	a.log.Info("this voter is admitted and votes", "generation", d.As.Generation, "founding", d.Founding)
}

// admissionRound asks until the admission has to pause or is over.
func (a *Arbiter) admissionRound(d *register.Admission) register.Next {
	ctx, cancel := context.WithTimeout(a.ctx, 2*a.profile.patience)
	defer cancel()
	for {
		next := a.askAdmission(ctx, d)
		switch {
		case next == register.Ask:
		case next == register.Finished:
			return next
		case d.MayStandAsCandidate():
			d.Candidate(a.ballot(d.Seen))
		default:
			return register.Pause
		}
	}
}

// reply is one voter's answer to a round of an admission, or none.
type reply struct {
	voter  int
	err    error
	status register.Status
	admit  register.AdmitAnswer
}

// askAdmission makes one round: it asks every other voter and hears the answers
// until they lead to something else.
func (a *Arbiter) askAdmission(ctx context.Context, d *register.Admission) register.Next {
	replies := make(chan reply)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range a.electorate.Size() {
		if i == d.Me {
			continue
		}
		ask := a.question(d, i)
		a.spawn(func() {
			r := ask(ctx)
			select {
			case replies <- r:
			case <-ctx.Done():
			}
		})
	}
	round := d.Round
	for range a.electorate.Size() - 1 {
		var r reply
		select {
		case r = <-replies:
		case <-ctx.Done():
			return register.Pause
		}
		if r.err != nil {
			d.Why[r.voter] = register.Unreachable
			a.problems.unreachable(a.electorate.Voter(r.voter), r.err, time.Now())
			continue
		}
		a.problems.reachable(a.electorate.Voter(r.voter))
		var next register.Next
		if d.Phase <= register.Confirming {
			next = d.HearStatus(round, r.status)
		} else {
			next = d.HearAdmit(round, r.admit)
		}
		if next != register.Listen {
			return next
		}
	}
	return register.Pause
}

// question returns what to ask voter i in the present phase.
func (a *Arbiter) question(d *register.Admission, i int) func(context.Context) reply {
	switch d.Phase {
	case register.Admitting:
		r := d.AdmitRequest()
		return func(ctx context.Context) reply {
			answer, err := a.electors.admit(ctx, i, r)
			return reply{voter: i, err: err, admit: answer}
		}
	case register.Installing:
		r := d.InstallRequest()
		return func(ctx context.Context) reply {
			answer, err := a.electors.install(ctx, i, r)
			return reply{voter: i, err: err, admit: answer}
		}
	}
	ask := a.introduce()
	return func(ctx context.Context) reply {
		m, err := a.electors.status(ctx, i, ask)
		return reply{voter: i, err: err, status: wire.Status(m, i)}
	}
}

// introduce is how this node asks for another one's status.
func (a *Arbiter) introduce() *bullyv1.StatusRequest {
	m := &bullyv1.StatusRequest{Electorate: a.electorate.Hash(), Node: a.config.Node}
	if a.config.Client {
		m.Node = "" // or it would seem to be a twin of the voter of that name
	}
	if a.voter != nil {
		s := a.voter.status().Standing
		m.As = wire.FromIncarnation(register.Incarnation{Generation: s.Generation, Nonce: s.Nonce})
	}
	return m
}
