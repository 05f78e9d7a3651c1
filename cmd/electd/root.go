package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses, as the help texts document them.
const (
	exitOK      = 0
	exitFailed  = 1 // the command did not do what it was asked for
	exitUsage   = 2 // the command line is wrong
	exitConfig  = 3 // the configuration is wrong
	exitRefused = 4 // the store, or what it holds, must not be used
	exitStopped = 5 // the lease could not be released in time
)

// status is an error that carries an exit status. Without text nothing is
// printed: the command has said what there is to say.
type status struct {
	code int
	err  error
}

func (s status) Error() string {
	if s.err == nil {
		return ""
	}
	return s.err.Error()
}

func (s status) Unwrap() error { return s.err }

// streams are what a command reads and writes.
type streams struct {
	in       *os.File
	out, err io.Writer
}

// run runs one command line and returns its exit status.
func run(args []string, in *os.File, out, errs io.Writer) int {
	root := rootCommand(streams{in, out, errs})
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(context.Background())
	var s status
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		if text := s.Error(); text != "" {
			fmt.Fprintln(errs, text)
		}
		return s.code
	}
	fmt.Fprintln(errs, "electd:", err)
	return exitFailed
}

func rootCommand(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "electd",
		Short: "Run exactly one leader among a few machines",
		Long: `electd runs exactly one leader among a few machines, without a consensus cluster:
an object store with conditional writes decides, and only when it has to.

Exit status: 0 done, 1 failed, 2 wrong command line, 3 wrong configuration,
4 the store must not be used, 5 the lease was not released in time.
"electd exec" passes on the exit status of its program.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	group(root)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return status{exitUsage, fmt.Errorf("electd: %w", err)}
	})
	root.AddCommand(
		runCommand(s), execCommand(s), validateCommand(s), statusCommand(s), stepDownCommand(s), eventsCommand(s),
		pauseCommand(s), resumeCommand(s), leaseCommand(s), probeCommand(s), pluginCommand(s),
		demoCommand(s), replayCommand(s), tlsCommand(s), versionCommand(s),
	)
	return root
}

// group makes a command one that only holds others: alone it prints its help, and
// what it does not know is refused.
func group(c *cobra.Command) {
	c.SuggestionsMinimumDistance = 2
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		text := fmt.Sprintf("electd: there is no command %q", strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "electd "))
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			text += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return status{exitUsage, errors.New(text)}
	}
}

// exactly is cobra.ExactArgs with this program's exit status.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return status{exitUsage, fmt.Errorf("electd: want %s, got %d arguments", what, len(args))}
	}
}

// atMost takes no more than n arguments.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return status{exitUsage, fmt.Errorf("electd: want at most %s, got %d arguments", what, len(args))}
	}
}
