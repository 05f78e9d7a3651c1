package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/client"
)

func eventsCommand(s streams) *cobra.Command {
	var asJSON bool
	var after string
	c := &cobra.Command{
		Use:   "events [ELECTION ...]",
		Short: "Follow what happens in elections",
		Long: `Follow what happens in elections, as the daemon that is asked sees it: what it
remembers first, then every change as it comes. A lost connection is made anew, and
nothing is told twice; what was lost meanwhile is said. Ctrl-C ends it.

Exit status: 0 ended on request, 1 the daemon refused.`,
		Example: "  electd events\n  electd events orders --after latest --json",
	}
	t := targetFlags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	c.Flags().StringVar(&after, "after", "", "only what came after the event with that `ID`; \"latest\": only what comes")
	c.RunE = func(cmd *cobra.Command, elections []string) error {
		api, err := t.dial(s)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		show := showEvent
		if asJSON {
			show = showEventJSON
		}
		for e, err := range api.Events(ctx, after, elections...) {
			var said *client.Error
			switch {
			case errors.As(err, &said) && said.Status < 500:
				return explain(err)
			case err != nil:
				fmt.Fprintln(s.err, "electd: asking again:", err)
				continue
			}
			if err := show(s.out, e); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

func showEvent(out io.Writer, e client.Event) error {
	if e.Missed != nil {
		_, err := fmt.Fprintf(out, "what came after %s is lost in part: %s\n", e.Missed.After, e.Missed.Why)
		return err
	}
	t := e.Transition
	_, err := fmt.Fprintf(out, "%s  %-12s %s -> %s  epoch %d  after %s  %s\n",
		t.At.Local().Format("15:04:05.000"), t.Election, t.From, t.To, t.Epoch, time.Duration(t.TookMS)*time.Millisecond, t.Reason)
	return err
}

// showEventJSON prints an event with its id, to go on after.
func showEventJSON(out io.Writer, e client.Event) error {
	return json.NewEncoder(out).Encode(struct {
		ID         string             `json:"id"`
		Transition *client.Transition `json:"transition,omitempty"`
		Missed     *client.Missed     `json:"missed,omitempty"`
	}{e.ID, e.Transition, e.Missed})
}
