package main

import (
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
)

func statusCommand(s streams) *cobra.Command {
	var asJSON, watch bool
	c := &cobra.Command{
		Use:   "status [ELECTION ...]",
		Short: "Show how elections stand on a node",
		Long: `Show how elections stand on the node whose daemon is asked: who leads at which
epoch, since when and why, how long the answer may be relied on, and what this node
knows of its peers.

Exit status: 0 shown, 1 the daemon did not answer.`,
		Example: "  electd status\n  electd status orders --json\n  electd status --watch",
		RunE:    nil,
	}
	t := targetFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line with --watch")
	c.Flags().BoolVarP(&watch, "watch", "w", false, "go on showing it, every second and at every change")
	c.RunE = func(cmd *cobra.Command, names []string) error {
		api, err := t.dial(s)
		if err != nil {
			return err
		}
		show := showText
		if asJSON {
			show = showJSON
		}
		if !watch {
			return showOnce(cmd.Context(), api, s.out, names, show)
		}
		for {
			if !asJSON {
				fmt.Fprint(s.out, "\033[H\033[2J")
			}
			if err := showOnce(cmd.Context(), api, s.out, names, show); err != nil {
				fmt.Fprintln(s.err, err)
			}
			time.Sleep(time.Second)
		}
	}
	return c
}

func showOnce(ctx context.Context, api *client.Client, out io.Writer, names []string, show func(io.Writer, client.Node) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	n, err := api.Node(ctx)
	if err != nil {
		return unreachable(err)
	}
	if n.Elections, err = pick(n.Elections, names); err != nil {
		return err
	}
	return show(out, n)
}

// pick keeps the elections that are named, all of them if none is.
func pick(all []client.Election, names []string) ([]client.Election, error) {
	if len(names) == 0 {
		return all, nil
	}
	var out []client.Election
	for _, name := range names {
		found := false
		for _, e := range all {
			if e.Election == name {
				out, found = append(out, e), true
			}
		}
		if !found {
			return nil, fmt.Errorf("electd: there is no election %q on this node", name)
		}
	}
	return out, nil
}

func showJSON(out io.Writer, n client.Node) error { return json.NewEncoder(out).Encode(n) }

func showText(out io.Writer, n client.Node) error {
	var text strings.Builder
	fmt.Fprintf(&text, "node %s   electd %s   arbiter %s", n.Node, n.Version, n.Arbiter.Name)
	if n.Arbiter.Problem != "" {
		fmt.Fprintf(&text, " (%s)", n.Arbiter.Problem)
	}
	fmt.Fprintf(&text, "   probe %s\n", n.Arbiter.Probe)
	showArbiter(&text, n.Arbiter, time.Now())
	var errs []error
	for _, e := range n.Elections {
		errs = append(errs, showElection(&text, e))
	}
	_, err := io.WriteString(out, text.String())
	return errors.Join(append(errs, err)...)
}

// showArbiter shows what the arbiter says of itself.
func showArbiter(out io.Writer, a client.Arbiter, now time.Time) {
	if c := a.Credentials; c != nil && c.Source != "" {
		fmt.Fprintf(out, "  credentials  %s", c.Source)
		if c.ID != "" {
			fmt.Fprintf(out, ", %s", c.ID)
		}
		if !c.ExpiresAt.IsZero() {
			fmt.Fprintf(out, ", until %s (%s)", c.ExpiresAt.Local().Format(time.DateTime), c.ExpiresAt.Sub(now).Round(time.Second))
		}
		fmt.Fprintln(out)
	}
	if a.Preferred != "" {
		fmt.Fprintf(out, "  the arbiter would rather see %s lead\n", a.Preferred)
	}
	for _, problem := range a.Problems {
		fmt.Fprintf(out, "  look at this: %s\n", problem)
	}
}

func showElection(out io.Writer, e client.Election) error {
	fmt.Fprintf(out, "\nelection %s: %s\n  %s\n", e.Election, e.Role, e.Why)
	if e.Trouble != "" {
		fmt.Fprintf(out, "  look at this: %s\n", e.Trouble)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	leader := e.Leader
	if leader == "" {
		leader = "-"
	}
	fmt.Fprintf(table, "  leader\t%s\n  epoch\t%d\n", leader, e.Epoch)
	if e.Leading {
		fmt.Fprintf(table, "  authority\t%s, acts for %s\n", ms(e.AuthorityMS), ms(e.ActForMS))
	}
	if e.ValidForMS > 0 {
		fmt.Fprintf(table, "  valid for\t%s\n", ms(e.ValidForMS))
	}
	if e.Paused {
		fmt.Fprintf(table, "  paused\tuntil %s\n", e.PausedUntil.Format(time.RFC3339))
	}
	if !e.Healthy {
		fmt.Fprintf(table, "  health\tfails: %s\n", e.HealthWhy)
	}
	fmt.Fprintf(table, "  store\t%d reads, %d writes, %d failed\n", e.Requests.Reads, e.Requests.Writes, e.Requests.Failures)
	for _, p := range e.Peers {
		fmt.Fprintf(table, "  peer %s\t%s\n", p.Node, peerText(p, e.Leading))
	}
	for _, t := range e.Transitions {
		fmt.Fprintf(table, "  %s\t%s -> %s\tepoch %d\t%s\n", t.At.Local().Format("15:04:05.000"), t.From, t.To, t.Epoch, t.Reason)
	}
	return table.Flush()
}

func peerText(p client.Peer, leading bool) string {
	var words []string
	switch {
	case !p.Connected && p.Problem != "":
		words = append(words, "not connected: "+p.Problem)
	case !p.Connected:
		words = append(words, "not connected")
	default:
		words = append(words, "connected")
	}
	if leading && p.Elector {
		if p.Acknowledges {
			words = append(words, "acknowledges")
		} else {
			words = append(words, "silent")
		}
	}
	if !p.Elector {
		words = append(words, "not an elector")
	}
	if p.Connected && !p.Eligible {
		words = append(words, "does not stand")
	}
	return strings.Join(words, ", ")
}

func ms(v int64) string { return (time.Duration(v) * time.Millisecond).String() }
