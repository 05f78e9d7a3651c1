package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
)

func leaseCommand(s streams) *cobra.Command {
	c := &cobra.Command{Use: "lease", Short: "Look at a lease record, and mend one whose nodes are gone for good"}
	group(c)
	c.AddCommand(leaseShowCommand(s), leaseAdmitCommand(s), leaseReleaseCommand(s))
	return c
}

func leaseShowCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "show ELECTION",
		Short:   "Read the lease record",
		Long:    "Read the lease record from the arbiter, through the daemon, and show it. This costs one\nrequest to the store.\n\nExit status: 0 shown, 1 refused or no answer.",
		Example: "  electd lease show orders\n  electd lease show orders --json",
		Args:    exactly(1, "the name of one election"),
	}
	t := targetFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		_, l, err := t.lease(cmd.Context(), s, args[0])
		switch {
		case err != nil:
			return err
		case asJSON:
			return json.NewEncoder(s.out).Encode(l)
		}
		return showLease(s.out, l)
	}
	return c
}

// lease reads the record of an election.
func (t *target) lease(ctx context.Context, s streams, election string) (*client.Client, client.Lease, error) {
	api, err := t.dial(s)
	if err != nil {
		return nil, client.Lease{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	l, err := api.Lease(ctx, election)
	if err != nil {
		return nil, l, explain(err)
	}
	return api, l, nil
}

func showLease(out io.Writer, l client.Lease) error {
	switch l.Found {
	case "absent":
		_, err := fmt.Fprintln(out, "there is no record")
		return err
	case "corrupt":
		_, err := fmt.Fprintf(out, "version %s: what is stored is no lease record; electd leaves it as it is\n", l.Version)
		return err
	case "newer":
		_, err := fmt.Fprintf(out, "version %s: the record has a newer format than this version understands; electd leaves it as it is\n%s\n", l.Version, l.Record)
		return err
	}
	r, _, err := core.Decode(l.Record)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	state := "vacant"
	if r.State == core.Held {
		state = "held by " + r.Holder
	}
	fmt.Fprintf(table, "state\t%s\nepoch\t%d, revision %d\nversion\t%s\n", state, r.Epoch, r.Revision, l.Version)
	for _, line := range []struct{ name, value string }{
		{"successor", r.Successor}, {"acquired", date(r.AcquiredAt)}, {"written", date(r.WrittenAt)},
		{"expires", date(r.ExpiresAt)}, {"peer address", r.Addresses.Peer}, {"API address", r.Addresses.API},
	} {
		if line.value != "" {
			fmt.Fprintf(table, "%s\t%s\n", line.name, line.value)
		}
	}
	for i := range r.Electors.Len {
		fmt.Fprintf(table, "elector\t%s, identity %s\n", r.Electors.List[i].Node, r.Electors.List[i].Identity)
	}
	return table.Flush()
}

// date shows Unix milliseconds; nothing for 0.
func date(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).Format(time.RFC3339)
}

// force are the flags of what only somebody who knows better may do.
type force struct{ sure, yes bool }

func forceFlags(c *cobra.Command) *force {
	f := &force{}
	c.Flags().BoolVar(&f.sure, "force", false, "required: you know what electd cannot know")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return f
}

// confirm has a person repeat the election's name, once told what is sworn.
func (f *force) confirm(s streams, election, sworn string) error {
	if !f.sure {
		return status{exitUsage, fmt.Errorf("electd: %s\nIf that is so, add --force", sworn)}
	}
	if f.yes {
		return nil
	}
	fmt.Fprintf(s.err, "%s\nIf that is so, type the name of the election: ", sworn)
	line, err := bufio.NewReader(s.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if strings.TrimSpace(line) != election {
		return status{exitUsage, errors.New("electd: nothing is changed")}
	}
	return nil
}

func leaseAdmitCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "admit ELECTION --force",
		Short: "Let a stranger lead, because every elector is gone for good",
		Long: `Let the node whose daemon is asked challenge although it is not among the electors of the
record. This is the way out when every elector has lost its disk or is gone for good.
As long as one of them lives, let it admit this node instead: it does by itself.

Exit status: 0 done, 1 refused or no answer, 2 not confirmed.`,
		Example: "  electd lease admit orders --force",
		Args:    exactly(1, "the name of one election"),
	}
	t, f := targetFlags(c), forceFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		api, l, err := t.lease(cmd.Context(), s, args[0])
		if err != nil {
			return err
		}
		if err := showLease(s.err, l); err != nil {
			return err
		}
		if err := f.confirm(s, args[0], "You swear that no elector of this record runs anywhere, nor ever will again. If one does, two nodes may lead at once."); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), answerWithin)
		defer cancel()
		if _, err := api.Admit(ctx, args[0]); err != nil {
			return explain(err)
		}
		fmt.Fprintf(s.out, "%s: this node may challenge now; see electd status\n", args[0])
		return nil
	}
	return c
}

func leaseReleaseCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "release ELECTION --force",
		Short: "Write the record vacant, because its holder is gone for good",
		Long: `Write the lease record vacant in the place of its holder, so that nobody has to wait for
its lease to end. If the holder lives, two nodes may lead at once: have it step down
instead. The epoch is kept, and the record is left alone if it has changed meanwhile.

Exit status: 0 done, 1 refused, no answer, or not known, 2 not confirmed.`,
		Example: "  electd lease release orders --force",
		Args:    exactly(1, "the name of one election"),
	}
	t, f := targetFlags(c), forceFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		api, l, err := t.lease(cmd.Context(), s, args[0])
		if err != nil {
			return err
		}
		if err := showLease(s.err, l); err != nil {
			return err
		}
		r, found, _ := core.Decode(l.Record)
		if found != core.FoundRecord || r.State != core.Held {
			return status{exitFailed, errors.New("electd: nobody holds the lease, so there is nothing to release")}
		}
		sworn := fmt.Sprintf("You swear that nothing of %s acts at epoch %d any more, nor will: neither electd nor what it ran.", r.Holder, r.Epoch)
		if err := f.confirm(s, args[0], sworn); err != nil {
			return err
		}
		return release(cmd.Context(), s, api, args[0], uint64(r.Epoch))
	}
	return c
}

func release(ctx context.Context, s streams, api *client.Client, election string, epoch uint64) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	done, err := api.Release(ctx, election, epoch)
	switch {
	case err != nil:
		return explain(err)
	case done.Outcome == client.OutcomeUnknown:
		return status{exitFailed, errors.New("electd: the write was not answered, so it may be applied or not: look again with electd lease show")}
	}
	fmt.Fprintf(s.out, "%s: the record is vacant, epoch %d is over\n", election, epoch)
	return nil
}
