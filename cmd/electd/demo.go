package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/demo"
)

func demoCommand(s streams) *cobra.Command {
	var script []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "See a pair at work, and break it",
		Long: `Start two electd processes and an S3 server on this machine, nothing to install, and
show who leads. In a terminal, keys kill, freeze, cut off and heal them; after each the
measured failover and the measured overlap of leaders are shown. Without a terminal, or
with --script, faults are run one after the other.

Exit status: 0 all as promised, 1 leaders overlapped, a failover took too long or the
store was asked while all was well.`,
		Example: "  electd demo\n  electd demo --script kill,freeze,partition,blip-kill,store-outage,step-down --json",
		Args:    exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(syscall.SIGPIPE) // so that nothing is left behind when nobody reads
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			if len(script) == 0 && !asJSON && isTerminal(s.in) && isTerminal(s.out) {
				return demo.Live(ctx, s.in, s.out)
			}
			err := demo.Script(ctx, demo.Options{Script: script, JSON: asJSON, Out: s.out})
			if errors.Is(err, demo.ErrUnknownFault) {
				return status{exitUsage, fmt.Errorf("electd demo: %w", err)}
			}
			return err
		},
	}
	c.Flags().StringSliceVar(&script, "script", nil, "`FAULTS` to run by itself: kill, freeze, partition, blip-kill, store-outage, step-down")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// isTerminal reports whether a stream is a terminal that a person sits at.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}
