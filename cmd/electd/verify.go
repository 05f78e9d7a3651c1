package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
	verification "github.com/electd/electd/plugins/verify"
)

func pluginVerifyCommand(s streams) *cobra.Command {
	var asJSON bool
	var within time.Duration
	var file string
	st := &store{}
	c := &cobra.Command{
		Use:   "verify NAME|PATH [--set NAME=VALUE ... | --config FILE]",
		Short: "Run the conformance kit on a plugin",
		Long: `Run the conformance kit on a plugin, built in or not, in processes of its own and on the
store that --set, or the arbiter block of a configuration, names. Keys that it writes
begin with "arbitertest-". What would need a broken connection between plugin and store
cannot be made from here and is skipped by name; the author's own tests have to make it
(see the guide for plugin authors).

Exit status: 0 nothing failed, 1 something failed, 2 wrong attributes, 3 wrong
configuration.`,
		Example: "  electd plugin verify file --set dir=/tmp/leases\n  electd plugin verify ./electd-arbiter-acme --set bucket=test --json\n  electd plugin verify ./electd-arbiter-acme --config test.hcl",
		Args:    exactly(1, "the name or path of one plugin"),
	}
	setFlags(c, st)
	c.Flags().StringVarP(&file, "config", "c", "", "configuration `FILE` whose arbiter block has the attributes")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().DurationVar(&within, "within", 10*time.Minute, "how long all checks together may take")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := st.toVerify(s, args[0], file)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), within)
		defer cancel()
		return verify(ctx, s, c, asJSON)
	}
	return c
}

// toVerify returns a configuration with the plugin that is given by its name or
// path, and with the attributes of the flags or of a file.
func (st *store) toVerify(s streams, plugin, file string) (*config.Config, error) {
	if file == "" {
		name, path, err := pluginFile(cmp.Or(st.pluginDir, defaultPluginDir), plugin)
		if err != nil {
			return nil, status{exitFailed, fmt.Errorf("electd: %w", err)}
		}
		return st.given(s, name, path)
	}
	if len(st.set) > 0 || st.pluginDir != "" {
		return nil, status{exitUsage, errors.New("electd: --set and --plugin-dir exclude --config: a configuration has its own attributes and its own plugin_dir")}
	}
	return ofPlugin(s, file, plugin)
}

// verify examines the arbiter of a configuration and shows what was found.
func verify(ctx context.Context, s streams, c *config.Config, asJSON bool) error {
	report, err := agent.VerifyArbiter(ctx, c)
	late := ctx.Err() != nil
	if err != nil && !late {
		if err := wrong(s, err); err.Error() != "" {
			return status{exitUsage, err}
		}
		return status{code: exitUsage}
	}
	if report.Info.Name != "" { // it was started at least
		show := showVerified
		if asJSON {
			show = showVerifiedJSON
		}
		if err := show(s.out, report); err != nil {
			return err
		}
	}
	switch {
	case late:
		return status{exitFailed, errors.New("electd: the time was over before every check was made; give more with --within")}
	case report.Err() != nil:
		return status{code: exitFailed}
	}
	return nil
}

func showVerifiedJSON(out io.Writer, report verification.Report) error {
	return json.NewEncoder(out).Encode(report)
}

func showVerified(out io.Writer, report verification.Report) error {
	err := report.WriteText(out)
	if report.Err() == nil && !report.Certified() {
		_, more := fmt.Fprintln(out, "Nothing failed; what was skipped has to be shown by the plugin's own tests.")
		err = errors.Join(err, more)
	}
	return err
}
