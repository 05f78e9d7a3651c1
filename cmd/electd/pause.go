package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/client"
)

// answerWithin is how long a daemon has to answer a command.
const answerWithin = 10 * time.Second

func pauseCommand(s streams) *cobra.Command {
	var length time.Duration
	c := &cobra.Command{
		Use:   "pause [ELECTION ...] --for DURATION",
		Short: "Keep a node from standing for a while",
		Long: `Keep the node whose daemon is asked from standing, in the elections named or in all of
them. A pause ends by itself, and survives a restart. A leader that is paused goes on
leading; have it step down as well if it should not.

Exit status: 0 done, 1 refused or no answer.`,
		Example: "  electd pause orders --for 30m\n  electd pause --for 2h && electd step-down orders",
	}
	t := targetFlags(c)
	c.Flags().DurationVar(&length, "for", 0, "how long, for example 30m")
	c.RunE = func(cmd *cobra.Command, names []string) error {
		if length < time.Millisecond {
			return status{exitUsage, errors.New("electd: say for how long with --for, for example --for 30m: a pause ends by itself")}
		}
		return t.each(cmd.Context(), s, names, func(ctx context.Context, api *client.Client, name string) error {
			if _, err := api.Pause(ctx, name, length); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s: this node does not stand until %s\n", name, time.Now().Add(length).Format(time.RFC3339))
			return nil
		})
	}
	return c
}

func resumeCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "resume [ELECTION ...]",
		Short:   "End a pause",
		Long:    "End a pause of the node whose daemon is asked, in the elections named or in all of them.\n\nExit status: 0 done, 1 refused or no answer.",
		Example: "  electd resume orders",
	}
	t := targetFlags(c)
	c.RunE = func(cmd *cobra.Command, names []string) error {
		return t.each(cmd.Context(), s, names, func(ctx context.Context, api *client.Client, name string) error {
			if _, err := api.Resume(ctx, name); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s: this node stands again\n", name)
			return nil
		})
	}
	return c
}

// each does something in every election named, in all of the daemon's if none
// is, and goes on after a refusal.
func (t *target) each(ctx context.Context, s streams, names []string, do func(context.Context, *client.Client, string) error) error {
	api, err := t.dial(s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if len(names) == 0 {
		n, err := api.Node(ctx)
		if err != nil {
			return explain(err)
		}
		for _, e := range n.Elections {
			names = append(names, e.Election)
		}
	}
	var errs []error
	for _, name := range names {
		if err := do(ctx, api, name); err != nil {
			errs = append(errs, explain(err))
		}
	}
	if len(errs) > 0 {
		return status{exitFailed, errors.Join(errs...)}
	}
	return nil
}
