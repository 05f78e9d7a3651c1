package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/core"
)

func pluginVerifyCommand(s streams) *cobra.Command {
	var asJSON bool
	var within time.Duration
	st := &store{}
	c := &cobra.Command{
		Use:   "verify NAME|PATH [--set NAME=VALUE ...]",
		Short: "Run the conformance kit on a plugin",
		Long: `Run the conformance kit on a plugin, built in or not, in processes of its own and on the
store that --set names. Keys that it writes begin with "arbitertest-". What would need
a broken connection between plugin and store cannot be made from here and is skipped by
name; the author's own tests have to make it (see the guide for plugin authors).

Exit status: 0 nothing failed, 1 something failed, 2 wrong attributes.`,
		Example: "  electd plugin verify file --set dir=/tmp/leases\n  electd plugin verify ./electd-arbiter-acme --set bucket=test --json",
		Args:    exactly(1, "the name or path of one plugin"),
	}
	setFlags(c, st)
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().DurationVar(&within, "within", 10*time.Minute, "how long all checks together may take")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if st.pluginDir == "" {
			st.pluginDir = defaultPluginDir
		}
		name, path, err := pluginFile(st.pluginDir, args[0])
		if err != nil {
			return status{exitFailed, fmt.Errorf("electd: %w", err)}
		}
		c, err := st.given(s, name, path)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), within)
		defer cancel()
		return verify(ctx, s, c, asJSON)
	}
	return c
}

// verify examines the arbiter of a configuration; every client of the kit is a
// process of its own.
func verify(ctx context.Context, s streams, c *config.Config, asJSON bool) error {
	first, err := agent.OpenArbiter(ctx, c, hclog.NewNullLogger())
	if err != nil {
		if err := wrong(s, err); err.Error() != "" {
			return status{exitUsage, err}
		}
		return status{code: exitUsage}
	}
	pause := first.Capabilities().MinWriteInterval
	if err := first.Close(); err != nil {
		return err
	}
	h := arbitertest.Harness{
		WriteInterval: pause,
		Open: func(ctx context.Context) (core.Arbiter, error) {
			host, err := agent.OpenArbiter(ctx, c, hclog.NewNullLogger())
			if err != nil {
				return nil, err
			}
			return host.Arbiter(), nil
		},
	}
	report := arbitertest.Examine(ctx, h)
	if err := showReport(s.out, report, asJSON); err != nil {
		return err
	}
	if report.Count(arbitertest.Failed) > 0 {
		return status{code: exitFailed}
	}
	return nil
}

func showReport(out io.Writer, report arbitertest.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(report)
	}
	err := report.WriteText(out)
	if !report.Certified() && report.Count(arbitertest.Failed) == 0 {
		_, more := fmt.Fprintln(out, "Nothing failed; what was skipped has to be shown by the plugin's own tests.")
		err = errors.Join(err, more)
	}
	return err
}
