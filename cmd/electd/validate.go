package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
)

func validateCommand(s streams) *cobra.Command {
	var path string
	var asJSON, elsewhere bool
	c := &cobra.Command{
		Use:   "validate --config FILE",
		Short: "Check a configuration and print what follows from it",
		Long: `Check a configuration without starting an election, the arbiter's own attributes
included, and print what follows from it: how long a failover takes at worst, how
many requests the store gets and what they cost, how wrong clocks may be. What it names
on this machine is looked at as well: certificates and their keys, the token, the data
directory, programs. Run it as the user that electd runs as.

Exit status: 0 valid, 3 not valid.`,
		Example: "  electd validate --config /etc/electd/electd.hcl",
		Args:    exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			c, err := load(s, path)
			if err != nil {
				return err
			}
			if !elsewhere {
				if err := onThisMachine(s, c); err != nil {
					return err
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			say, err := agent.CheckArbiter(ctx, c, hclog.NewNullLogger())
			if err != nil {
				return wrong(s, err)
			}
			follows := c.Consequences()
			if asJSON {
				return json.NewEncoder(s.out).Encode(follows)
			}
			fmt.Fprintf(s.out, "%s is valid.\n\n", path)
			for _, sentence := range say {
				fmt.Fprintf(s.out, "arbiter %q: %s\n", c.Arbiter.Name, sentence)
			}
			return errors.Join(follows.Write(s.out))
		},
	}
	configFlag(c, &path)
	c.Flags().BoolVar(&asJSON, "json", false, "print the consequences as JSON")
	c.Flags().BoolVar(&elsewhere, "elsewhere", false, "the file is for another machine: look for nothing that it names on this one")
	return c
}

// onThisMachine prints what is wrong with what a configuration names on this
// machine.
func onThisMachine(s streams, c *config.Config) error {
	found := agent.CheckMachine(c)
	if err := found.Err(); err != nil {
		return wrong(s, err)
	}
	return found.Write(s.err, 0, false)
}
