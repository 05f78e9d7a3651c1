package bully

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
)

// perform drives an operation until it has a result. It honours ctx: when that
// ends, the result is Unknown if a voter may have been asked to accept the value,
// and Unavailable otherwise.
func (a *Arbiter) perform(ctx context.Context, w register.Want) register.Operation {
	op, next := register.Begin(w, a.ballot(register.Ballot{}))
	r := round{arbiter: a, answers: make(chan register.Answer)}
	r.ctx, r.cancel = context.WithCancel(ctx)
	defer r.cancel()

	var pause <-chan time.Time
	pauses := 0
	for next != register.Finished {
		switch next {
		case register.Ask:
			pause = nil
			r.ask(op.Request)
		case register.Pause:
			if pause == nil {
				pause = time.After(jitter(a.profile.pause << min(pauses, 5)))
				pauses++
			}
		}
		select {
		case answer := <-r.answers:
			next = op.Hear(answer)
		case <-pause:
			pause = nil
			next = op.Again(a.ballot(op.Seen))
		case <-ctx.Done():
			next = op.Expire()
		case <-a.ctx.Done():
			next = op.Expire()
		}
	}
	return op
}

// round is how an operation asks the voters.
type round struct {
	arbiter *Arbiter
	ctx     context.Context // of the operation: ends when nobody listens any more
	cancel  context.CancelFunc
	answers chan register.Answer
}

// ask sends r to every voter. An Accept is delivered to the slower voters even
// when the operation is over: they would have to be told later anyway.
func (r *round) ask(request register.Request) {
	a := r.arbiter
	for i := range a.electorate.Size() {
		a.spawn(func() {
			ctx := r.ctx
			if request.Kind == register.Accept {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(a.ctx, 2*time.Second)
				defer cancel()
			}
			answer, err := a.electors.vote(ctx, i, request)
			if err != nil {
				answer = register.Answer{Kind: register.Refused, Voter: i, Round: request.Round, Refusal: register.Unreachable}
				if r.ctx.Err() == nil {
					a.problems.unreachable(a.electorate.Voter(i), err, time.Now())
				}
			}
			select {
			case r.answers <- answer:
			case <-r.ctx.Done():
			}
		})
	}
}

// reasons says, voter by voter, why there was no majority.
func (a *Arbiter) reasons(op *register.Operation) string {
	var why []string
	answered := 0
	for i := range a.electorate.Size() {
		node := a.electorate.Voter(i)
		answer := op.Answers[i]
		if answer.Kind != 0 && answer.Refusal == 0 {
			answered++
			continue
		}
		text := fmt.Sprintf("%s %v", node, answer.Refusal)
		if answer.Kind == 0 {
			text = node + " has not answered yet"
		}
		if answer.Kind == 0 || answer.Refusal == register.Unreachable {
			if detail := a.problems.whyUnreachable(node); detail != "" {
				text += " (" + detail + ")"
			}
		}
		why = append(why, text)
	}
	return fmt.Sprintf("%d of %d voters agreed and %d are needed: %s",
		answered, a.electorate.Size(), a.electorate.Majority(), strings.Join(why, "; "))
}
