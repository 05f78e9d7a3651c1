package agent

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
	"github.com/electd/electd/core"
)

// program is what an election supervises; nil if it is nothing.
func (a *Agent) program(e *election, c config.Election) (*supervise.Program, error) {
	r := c.Run
	if r == nil {
		return nil, nil
	}
	p := &supervise.Program{
		Election: c.Name, Node: a.dir.Node(), API: a.api.URL(), TokenFile: a.settings().API.TokenFile,
		Command: r.Command, Dir: r.Dir, Env: r.Env, Lock: e.dir.ProgramLock(),
		StopSignal: stopSignals[r.StopSignal], StopTimeout: r.StopTimeout, Warning: r.StopTimeout,
		KillAllowance: r.KillAllowance,
		Restart:       supervise.Restart{When: supervise.When(r.Restart), Delay: r.RestartDelay, Limit: r.RestartLimit},
		Stdin:         a.options.Stdin, Stdout: output(a.options.Stdout, e.log, "stdout"), Stderr: output(a.options.Stderr, e.log, "stderr"),
		Foreground: a.options.Foreground, Log: e.log.Named("program"),
	}
	if p.Dir == "" {
		p.Dir = a.settings().Dir()
	}
	return p, p.Check()
}

// stopSignals are the signals that run.stop_signal can name.
var stopSignals = map[string]syscall.Signal{
	"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGQUIT": syscall.SIGQUIT, "SIGHUP": syscall.SIGHUP,
	"SIGUSR1": syscall.SIGUSR1, "SIGUSR2": syscall.SIGUSR2, "SIGKILL": syscall.SIGKILL,
}

// output is where a program's stream goes: to w, or into the log, a line an
// entry.
func output(w io.Writer, log hclog.Logger, stream string) io.Writer {
	if w != nil {
		return w
	}
	log = log.Named("program").With("stream", stream)
	return &logline.Writer{Emit: func(line string) { log.Info(line) }}
}

// startProgram starts the program, if there is one, unless its turn is over.
func (s *service) startProgram(epoch core.Epoch, turn uint64) error {
	s.mu.Lock()
	if s.program == nil {
		s.mu.Unlock()
		return nil
	}
	switch {
	case s.turn != turn:
		s.mu.Unlock()
		return errOvertaken
	case alive(s.run):
		s.mu.Unlock()
		return errors.New("the program has to stop before it may start again")
	}
	run := s.program.Start(uint64(epoch), s.deadline())
	s.run = run
	s.mu.Unlock()
	began := time.Now()
	s.running.Go(func() { s.await(run, turn) })
	err := run.Started(context.Background())
	s.election.programStarted(time.Since(began), err)
	return err
}

// alive reports whether processes of a run may be left.
func alive(run *supervise.Run) bool {
	if run == nil {
		return false
	}
	select {
	case <-run.Done():
		return false
	default:
		return true
	}
}

// await waits for a program's end, and gives up leadership if nobody asked for
// that.
func (s *service) await(run *supervise.Run, turn uint64) {
	<-run.Done()
	s.mu.Lock()
	asked := s.turn != turn
	if s.run == run {
		s.run = nil
	}
	s.mu.Unlock()
	if asked {
		return
	}
	exit := run.Exit()
	level := hclog.Warn
	if exit.Status.ExitCode() == 0 {
		level = hclog.Info // its work is done
	}
	s.log.Log(level, "the program ended and is not started again: giving up leadership", ended(exit)...)
	s.election.serviceEnded()
	select {
	case s.exited <- exit.Status.ExitCode():
	default:
	}
}

// ended is what the log says of a program's end.
func ended(exit supervise.Exit) []any {
	details := []any{"status", exit.Status.ExitCode(), "cause", string(exit.Cause), "restarts", exit.Restarts}
	if exit.Err != nil {
		details = append(details, "error", exit.Err)
	}
	return details
}

// stopProgram stops a program and waits for the proof that it is gone. The
// watchdog kills its group at the deadline in any case.
func stopProgram(run *supervise.Run, until core.Instant) error {
	if run == nil {
		return nil
	}
	left := max(0, boottime.Instant(until).Left()) + time.Second
	ctx, cancel := context.WithTimeout(context.Background(), left)
	defer cancel()
	return run.Stop(ctx)
}

// kill kills the program's group at once.
func (s *service) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.run.Kill()
	}
}

// forward passes a signal on to the program.
func (s *service) forward(signal os.Signal) {
	s.mu.Lock()
	run := s.run
	s.mu.Unlock()
	if number, ok := signal.(syscall.Signal); ok && run != nil {
		run.Signal(number)
	}
}

func (s *service) programRuns() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return alive(s.run)
}
