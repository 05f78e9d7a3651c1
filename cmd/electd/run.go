package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/cmd/electd/internal/config"
)

// startWithin is how long a daemon may take to start.
const startWithin = time.Minute

func runCommand(s streams) *cobra.Command {
	var path, trace string
	var controlFD int
	c := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Run the daemon",
		Long: `Run the daemon with a configuration file, until SIGTERM or SIGINT: then the program is
stopped and what is held is released, within 10 s, or 8 s more than the longest
fence_margin if that is longer. SIGHUP reads the file again: what can
change is applied, what needs a restart is named in the log, and a file with mistakes
changes nothing.

Exit status: 0 ended on request, 3 wrong configuration, 4 the store must not be used,
5 the lease was not released in time, or a fence was not over in time.`,
		Example: "  electd run --config /etc/electd/electd.hcl",
		Args:    exactly(0, "no argument"),
		RunE: func(_ *cobra.Command, _ []string) error {
			c, err := load(s, path)
			if err != nil {
				return err
			}
			o := agent.Options{Config: c, File: absolute(path), Version: version, Log: newLog(s, c), TraceDir: trace}
			if controlFD > 0 {
				syscall.CloseOnExec(controlFD) // the line ends with this process, whatever it has started
				o.Control = os.NewFile(uintptr(controlFD), "control")
			}
			return runDaemon(s, o)
		},
	}
	configFlag(c, &path)
	c.Flags().StringVar(&trace, "trace", "", "write every step of every election to `DIR`/<election>.ndjson, for electd replay")
	c.Flags().IntVar(&controlFD, "demo-control", 0, "")
	c.Flags().MarkHidden("demo-control")
	return c
}

func configFlag(c *cobra.Command, path *string) {
	c.Flags().StringVarP(path, "config", "c", "/etc/electd/electd.hcl", "configuration `FILE`")
}

// load reads a configuration and prints what is wrong with it, or looks so.
func load(s streams, path string) (*config.Config, error) {
	c, diags := config.Load(path)
	if diags.Len() > 0 {
		diags.Write(s.err, 0, false)
	}
	if diags.HasErrors() {
		return nil, status{code: exitConfig}
	}
	return c, nil
}

func newLog(s streams, c *config.Config) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name: "electd", Level: hclog.LevelFromString(c.Log.Level), Output: s.err, JSONFormat: c.Log.Format == "json",
	})
}

// runDaemon runs an agent until it is told to end or must end by itself. SIGHUP
// makes it read its configuration's file again.
func runDaemon(s streams, o agent.Options) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(signals)
	a, err := start(s, o)
	switch {
	case errors.As(err, new(toldToEnd)):
		return nil
	case err != nil:
		return err
	}
	manager := newManager(o.Log)
	manager.ready(a)
	reloads := &reloads{each: func(ctx context.Context) {
		manager.reloading()
		reload(ctx, o.Log, a, o.File)
		manager.reloaded()
	}}
	for {
		select {
		case sig := <-signals:
			if sig == syscall.SIGHUP {
				reloads.ask()
				continue
			}
			within := a.StopWithin()
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			o.Log.Info("ending: releasing what is held", "signal", sig.String(), "within", within)
			manager.stopping(within)
			reloads.end(ctx)
			return stop(ctx, a)
		case <-reloads.done:
			reloads.ended()
		case cause := <-a.Failed():
			manager.stopping(a.StopWithin())
			if errors.Is(cause, agent.ErrOverrun) {
				return status{exitStopped, fmt.Errorf("electd: %w", cause)} // at once: there is nothing left to wait for
			}
			ctx, cancel := context.WithTimeout(context.Background(), a.StopWithin())
			defer cancel()
			reloads.end(ctx)
			return errors.Join(failure(cause), stop(ctx, a))
		}
	}
}

// toldToEnd is why a start ends that SIGTERM or SIGINT came upon.
type toldToEnd struct{ signal syscall.Signal }

func (t toldToEnd) Error() string {
	return fmt.Sprintf("told to end by %s before everything was started", t.signal)
}

// start starts an agent. A signal that asks it to end ends the start; it is still
// delivered to whoever has asked for it as well.
func start(s streams, o agent.Options) (*agent.Agent, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	ctx, ended := context.WithCancelCause(ctx)
	defer ended(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	go func() {
		select {
		case sig := <-signals:
			o.Log.Info("ending before everything is started", "signal", sig.String())
			ended(toldToEnd{sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	a, err := agent.Start(ctx, o)
	if err == nil || errors.As(err, new(toldToEnd)) {
		return a, err
	}
	return nil, wrong(s, err)
}

// wrong prints what is wrong with a configuration, with the lines it is about
// where it is about any.
func wrong(s streams, err error) error {
	var located *config.Error
	if errors.As(err, &located) {
		located.Diagnostics.Write(s.err, 0, false)
		return status{code: exitConfig}
	}
	return status{exitConfig, fmt.Errorf("electd cannot start: %w", err)}
}

func failure(cause error) error {
	if cause == nil {
		return nil
	}
	return status{exitRefused, fmt.Errorf("electd: %w", cause)}
}

// end is stop with all the time that it may take.
func end(a *agent.Agent) error {
	ctx, cancel := context.WithTimeout(context.Background(), a.StopWithin())
	defer cancel()
	return stop(ctx, a)
}

// stop releases and ends everything, and says if that was not possible in time.
// What does not end by then ends with this process.
func stop(ctx context.Context, a *agent.Agent) error {
	stopped := make(chan error, 1)
	go func() { stopped <- a.Stop(ctx) }()
	var err error
	select {
	case err = <-stopped:
	case <-ctx.Done():
		err = errors.New("not everything has ended in time; what is left ends with this process")
	}
	if err != nil {
		return status{exitStopped, fmt.Errorf("electd: %w", err)}
	}
	return nil
}
