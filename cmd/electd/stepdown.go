package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/client"
)

func stepDownCommand(s streams) *cobra.Command {
	var to string
	var wait bool
	var within time.Duration
	c := &cobra.Command{
		Use:   "step-down ELECTION",
		Short: "Have the leader give up leadership",
		Long: `Have the leader give up leadership, to any node that can lead or to a named one. Any
node may be asked: a follower forwards it to the leader. Nothing happens if nobody
could take over. With --wait, whoever takes over is asked whether it is promoted, if
its API is served over TCP, and over TLS if an https API or --ca-file is given; if it
cannot be asked, this node's view of it counts, which cannot tell a promotion from
leading. A leader that was asked by a follower and goes on is taken to have refused.

Exit status: 0 done, 1 refused or, with --wait, no other leader in time.`,
		Example: "  electd step-down orders\n  electd step-down orders --to db-b --wait",
		Args:    exactly(1, "the name of one election"),
	}
	t := targetFlags(c)
	c.Flags().StringVar(&to, "to", "", "`NODE` that is to lead next")
	c.Flags().BoolVar(&wait, "wait", false, "wait until another node leads")
	c.Flags().DurationVar(&within, "within", 30*time.Second, "how long to wait at most")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := t.dial(s)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), within)
		defer cancel()
		if !wait {
			_, err := askToStepDown(ctx, s, api, args[0], to)
			return err
		}
		return stepDownAndWait(ctx, s, api, t.another, args[0], to)
	}
	return c
}

// asked is a step-down that was asked for.
type asked struct {
	before client.Election // how the election stood
	done   client.Done
	needed bool // false: the node that was to lead did already
}

func askToStepDown(ctx context.Context, s streams, api *client.Client, election, to string) (asked, error) {
	before, err := api.Election(ctx, election)
	if err != nil {
		return asked{}, explain(err)
	}
	if to != "" && before.Leader == to {
		fmt.Fprintf(s.out, "%s leads already, at epoch %d\n", to, before.Epoch)
		return asked{}, nil
	}
	done, err := api.StepDown(ctx, election, to)
	if errors.Is(err, context.DeadlineExceeded) {
		return asked{}, underWay(api, election)
	}
	if err != nil {
		return asked{}, refused(to, err)
	}
	switch done.Outcome {
	case client.OutcomeForwarded:
		fmt.Fprintf(s.out, "asked %s, which leads, to step down\n", done.To)
	case client.OutcomeUnknown:
		fmt.Fprintln(s.out, "asked to step down; it was not over in time")
	default:
		fmt.Fprintf(s.out, "%s has released epoch %d\n", cmp.Or(before.Leader, before.Node), before.Epoch)
	}
	return asked{before, done, true}, nil
}

// unanswered reports whether the leader was asked by a follower, and is still the
// leader there.
func (a asked) unanswered(now client.Election) bool {
	return a.done.Outcome == client.OutcomeForwarded && now.Epoch == a.before.Epoch && now.Leader == a.done.To
}

// refusedAfter is how long a leader may take to begin a release that was forwarded
// to it.
const refusedAfter = 2 * time.Second

// leaderWatch finds out whether a leader goes on after a request that a follower has
// forwarded: one that releases sends no heartbeats. The follower tells how long ago
// it has heard the leader or read the record, and how often it has read.
type leaderWatch struct {
	since time.Time // nothing was read since
	reads uint64
	heard int // answers in a row that say so; one alone may mix before and after a read
}

// goesOn takes note of an answer of the follower, and reports whether the leader has
// gone on for long enough.
func (w *leaderWatch) goesOn(now client.Election) bool {
	if w.since.IsZero() || now.Requests.Reads != w.reads {
		w.since, w.reads, w.heard = time.Now(), now.Requests.Reads, 0
	}
	if now.AgeMS < 0 || time.Since(w.since)-time.Duration(now.AgeMS)*time.Millisecond <= refusedAfter {
		w.heard = 0
		return false
	}
	w.heard++
	return w.heard > 1
}

// dialler returns a client of the daemon whose API is at host:port.
type dialler func(address string) (*client.Client, error)

func stepDownAndWait(ctx context.Context, s streams, api *client.Client, dial dialler, election, to string) error {
	request, err := askToStepDown(ctx, s, api, election, to)
	if err != nil || !request.needed {
		return err
	}
	var watch leaderWatch
	for promoting := ""; ; {
		now, err := api.Election(ctx, election)
		over := err == nil && now.Epoch > request.before.Epoch
		if over {
			now = asTheLeaderSays(ctx, dial, now)
		}
		switch {
		case over && now.Leader != "" && (now.Leading || now.Role == "follower"):
			fmt.Fprintf(s.out, "%s leads at epoch %d\n", now.Leader, now.Epoch)
			if !now.Leading {
				fmt.Fprintf(s.err, "electd: %s cannot be asked from here whether its promotion is over: it has no API over TCP, or does not answer there\n", now.Leader)
			}
			if to != "" && now.Leader != to {
				return status{exitFailed, fmt.Errorf("electd: %s was to lead", to)}
			}
			return nil
		case over && now.Role == "promoting" && promoting != now.Node:
			promoting = now.Node
			fmt.Fprintf(s.out, "%s has taken over epoch %d and is being promoted\n", now.Node, now.Epoch)
		case ctx.Err() != nil && promoting != "":
			return status{exitFailed, fmt.Errorf("electd: no other leader in time: %s was still being promoted; its log and electd status there tell more", promoting)}
		case err == nil && request.unanswered(now) && watch.goesOn(now):
			return status{exitFailed, fmt.Errorf("electd: %s was asked, and goes on leading at epoch %d. %[1]s refuses if nobody else could lead; electd status there shows who could", request.done.To, now.Epoch)}
		case ctx.Err() != nil && request.done.Outcome == client.OutcomeForwarded:
			return status{exitFailed, fmt.Errorf("electd: no other leader in time. %s refuses if nobody else could lead; electd status there shows who could", request.done.To)}
		case ctx.Err() != nil:
			return status{exitFailed, errors.New("electd: no other leader in time; see electd status")}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// askWithin bounds a question beside the step-down itself.
const askWithin = 2 * time.Second

// asTheLeaderSays returns how the election stands on the node that a follower
// takes for the leader, as only that knows whether its promotion is over. Where it
// cannot be asked, for want of an API over TCP, the follower's word has to do.
func asTheLeaderSays(ctx context.Context, dial dialler, follower client.Election) client.Election {
	if follower.Role != "follower" || follower.Addresses.API == "" {
		return follower
	}
	leader, err := dial(follower.Addresses.API)
	if err != nil {
		return follower
	}
	defer leader.Close()
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	told, err := leader.Election(ctx, follower.Election)
	if err != nil || told.Node != follower.Leader {
		return follower
	}
	return told
}

// underWay tells that a step-down is not answered in time by a daemon that runs,
// and how the election stands there.
func underWay(api *client.Client, election string) error {
	ctx, cancel := context.WithTimeout(context.Background(), askWithin)
	defer cancel()
	now, err := api.Election(ctx, election)
	if err != nil {
		return unreachable(err)
	}
	return status{exitFailed, fmt.Errorf("electd: the step-down was asked for and was not over in time; it may be under way yet. %s is %s: %s\n"+
		"While the store does not answer the release cannot be written, and the others wait the lease out; see electd status",
		now.Node, now.Role, cmp.Or(now.Trouble, now.Why))}
}

// refused tells why nothing was handed over, and to whom, if that was named.
func refused(to string, err error) error {
	var said *client.Error
	if to == "" || !errors.As(err, &said) {
		return explain(err)
	}
	return status{exitFailed, fmt.Errorf("electd: not handed over to %s: %w", to, said)}
}

// explain tells what the daemon said, or that it said nothing.
func explain(err error) error {
	var said *client.Error
	if errors.As(err, &said) {
		return status{exitFailed, fmt.Errorf("electd: %w", said)}
	}
	return unreachable(err)
}
