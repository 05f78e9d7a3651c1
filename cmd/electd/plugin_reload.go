package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func pluginReloadCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "reload [NAME]",
		Short: "Put a plugin's new file in the old one's place",
		Long: `Have the daemon start its arbiter's plugin anew, by the plugin's file and by the plugin
block of the configuration as they are now. The new process takes over once it is
configured and has passed the probe, unless the configuration skips that; no call fails
for it, no leader changes, and otherwise the old one goes on. Where neither the old one
nor the new one reaches the store, the new one takes over unproven, and a warning says
so. Only whoever may open the daemon's socket can ask for this.

Exit status: 0 done, 1 refused or no answer.`,
		Example: "  electd plugin reload\n  electd plugin reload acme",
		Args:    atMost(1, "the name of the daemon's arbiter"),
	}
	t := targetFlags(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := t.dial(s)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), reloadWithin)
		defer cancel()
		p, err := api.ReloadPlugin(ctx, strings.Join(args, ""))
		if err != nil {
			return explain(err)
		}
		fmt.Fprintf(s.out, "%s %s runs in the place of %s (process %d, %s, sha256 %s)\n", p.Name, p.Version, p.Before, p.PID, p.Path, p.SHA256)
		if p.Warning != "" {
			fmt.Fprintf(s.out, "warning: %s\n", p.Warning)
		}
		return nil
	}
	return c
}
