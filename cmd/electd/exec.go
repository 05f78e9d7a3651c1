package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/datadir"
)

func execCommand(s streams) *cobra.Command {
	var f config.Flags
	c := &cobra.Command{
		Use:   "exec --election NAME [flags] -- COMMAND [ARG ...]",
		Short: "Run a command on one machine at a time",
		Long: `Wait for the lease of an election, then run a command for as long as it is held.
No configuration file is needed: the arbiter decides alone, with a lease of 10 s.
Whoever starts the same on another machine, or in another terminal, waits for its
turn. The command finds its epoch in ELECTD_EPOCH.

The exit status is the command's; 127 if there is no such command, 126 if it cannot
be run. SIGTERM and SIGINT are passed on to it.`,
		Example: `  electd exec --arbiter file --set dir=/var/lib/jobs --election nightly -- ./nightly.sh
  electd exec --arbiter s3 --set bucket=acme-ha --set region=eu-west-1 --election nightly -- ./nightly.sh`,
		RunE: func(_ *cobra.Command, args []string) error {
			f.Command = args
			return runExec(s, f)
		},
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVar(&f.Election, "election", "", "`NAME` of the election")
	flags.StringVar(&f.Arbiter, "arbiter", "", "arbiter: `NAME` of a built-in one (s3, gcs, bully, file) or of a plugin")
	flags.StringArrayVar(&f.Set, "set", nil, "attribute of the arbiter, `NAME=VALUE`; may be repeated")
	flags.StringVar(&f.Node, "node", "", "`ID` of this node (default: the machine's name, with a number if that is taken)")
	flags.StringVar(&f.DataDir, "data-dir", "", "`DIR` for what this node must remember (default: the first free one in your state folder)")
	flags.StringVar(&f.PluginDir, "plugin-dir", "", "`DIR` with plugins")
	flags.DurationVar(&f.ArbiterLease, "arbiter-lease", 0, "time bought by a write to the arbiter (default 10s)")
	flags.DurationVar(&f.FenceMargin, "fence-margin", 0, "how long before the lease's end the command is stopped")
	flags.DurationVar(&f.StopTimeout, "stop-timeout", 0, "time the command has to stop before it is killed")
	flags.StringVar(&f.StopSignal, "stop-signal", "", "`SIGNAL` that asks the command to stop (default SIGTERM)")
	flags.StringVar(&f.APIListen, "api-listen", "", "also serve the API on `HOST:PORT`")
	flags.StringVar(&f.APISocket, "api-socket", "", "`PATH` of the API's socket")
	flags.StringVar(&f.LogLevel, "log-level", "", "`LEVEL`: trace, debug, info, warn or error (default warn)")
	flags.StringVar(&f.LogFormat, "log-format", "", "`FORMAT`: text or json")
	return c
}

// runExec runs one election for one command.
func runExec(s streams, f config.Flags) error {
	if f.LogLevel == "" {
		f.LogLevel = "warn"
	}
	if err := checkFlags(s, f); err != nil {
		return err
	}
	if err := runnable(f.Command[0]); err != nil {
		return err
	}
	dir, err := execDir(&f)
	if err != nil {
		return status{exitConfig, fmt.Errorf("electd exec: %w", err)}
	}
	c, diags := config.FromFlags(f)
	if diags.HasErrors() {
		diags.Write(s.err, 0, false)
		return errors.Join(status{code: exitUsage}, dir.Close())
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	log := newLog(s, c)
	waits := fmt.Sprintf("electd: node %s waits for election %q; without peers, the arbiter alone decides, with a lease of %s\n", f.Node, f.Election, c.Elections[0].ArbiterLease)
	a, err := start(s, agent.Options{
		Config: c, Dir: dir, Version: version, Log: log, Checked: func() { io.WriteString(s.err, waits) },
		Stdin: s.in, Stdout: s.out, Stderr: s.err, Foreground: true,
	})
	var told toldToEnd
	switch {
	case errors.As(err, &told):
		return status{code: signalled(told.signal)}
	case err != nil:
		return err
	}
	return execUntilDone(a, signals)
}

// checkFlags says what is wrong with the flags before a data directory is made
// for them; which one it will be does not matter yet.
func checkFlags(s streams, f config.Flags) error {
	if err := missing(f); err != nil {
		return err
	}
	if f.Node == "" {
		f.Node = datadir.HostName()
	}
	if f.DataDir == "" {
		f.DataDir = os.TempDir()
	}
	_, diags := config.FromFlags(f)
	if diags.Len() > 0 {
		diags.Write(s.err, 0, false)
	}
	if diags.HasErrors() {
		return status{code: exitUsage}
	}
	return nil
}

// execDir opens the data directory: the one given, or the first free one of the
// user, whose name is the node's id if none is given.
func execDir(f *config.Flags) (*datadir.Dir, error) {
	if f.DataDir != "" {
		if f.Node == "" {
			f.Node = datadir.HostName()
		}
		return datadir.Open(f.DataDir, f.Node, datadir.Random)
	}
	state, err := datadir.StateDir()
	if err != nil {
		return nil, err
	}
	name := f.Node
	if name == "" {
		name = datadir.HostName()
	}
	dir, err := datadir.OpenSlot(state, name)
	if err != nil {
		return nil, err
	}
	f.Node, f.DataDir = dir.Node(), filepath.Clean(dir.Path())
	return dir, nil
}

// execUntilDone passes signals on while the command runs and returns its exit
// status. A second signal before it runs, or the first one, ends the waiting.
func execUntilDone(a *agent.Agent, signals <-chan os.Signal) error {
	for {
		select {
		case code := <-a.Exited():
			err := end(a)
			if code == 0 {
				return err
			}
			return status{code, err}
		case cause := <-a.Failed():
			return errors.Join(failure(cause), end(a))
		case sig := <-signals:
			if a.ProgramRuns() {
				a.Forward(sig)
				continue
			}
			if sig == syscall.SIGTERM || sig == syscall.SIGINT {
				return errors.Join(status{code: signalled(sig.(syscall.Signal))}, end(a))
			}
		case <-time.After(time.Hour):
		}
	}
}

// signalled is the exit status of a command that a signal ended.
func signalled(by syscall.Signal) int { return 128 + int(by) }
