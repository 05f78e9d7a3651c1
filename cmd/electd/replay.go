package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/electd/electd/core/node"
)

func replayCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE",
		Short: "Run a trace through the protocol again",
		Long: `Run the steps of a trace (electd run --trace DIR) through the same protocol again,
print the transitions, and say where the result differs.

Exit status: 0 the same, 1 it differs.`,
		Example: "  electd replay orders.ndjson",
		Args:    exactly(1, "one trace"),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			got, err := node.Replay(file)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			for _, t := range got.Transitions {
				fmt.Fprintf(s.out, "%-10s -> %-10s epoch %-4d %s\n", t.From, t.To, t.Epoch, t.Reason)
			}
			fmt.Fprintf(s.out, "%d steps, %d left out, ends %s\n", got.Steps, got.Gaps, got.Phase)
			if got.Differs != "" {
				return status{exitFailed, fmt.Errorf("electd: this version does otherwise at %s", got.Differs)}
			}
			return nil
		},
	}
}
