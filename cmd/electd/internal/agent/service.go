package agent

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/core"
)

// service is what an election makes active here: the promote hook and then the
// supervised program. It implements node.Service. Its methods are called from
// the node's loop and hand everything that takes time to goroutines.
type service struct {
	election *election
	log      hclog.Logger
	program  *supervise.Program // nil: there is none
	allow    time.Duration      // kill allowance
	exited   chan int           // status of a program that ended for good

	running sync.WaitGroup

	mu       sync.Mutex
	deadline boottime.Instant // of the program, as the authority stands
	run      *supervise.Run   // nil: no program
	fenced   bool             // since the last promote
}

func newService(a *Agent, e *election, c config.Election) (*service, error) {
	s := &service{election: e, log: e.log, exited: make(chan int, 1)}
	if c.Run == nil {
		return s, nil
	}
	r := c.Run
	s.allow = r.KillAllowance
	p := &supervise.Program{
		Election: c.Name, Node: a.dir.Node(), API: "unix://" + a.api.Socket(), TokenFile: a.config.API.TokenFile,
		Command: r.Command, Dir: r.Dir, Env: r.Env, Lock: e.dir.ProgramLock(),
		StopSignal: stopSignals[r.StopSignal], StopTimeout: r.StopTimeout, Warning: r.StopTimeout,
		Restart: supervise.Restart{When: supervise.When(r.Restart), Delay: r.RestartDelay, Limit: r.RestartLimit},
		Stdin:   a.options.Stdin, Stdout: output(a.options.Stdout, e.log, "stdout"), Stderr: output(a.options.Stderr, e.log, "stderr"),
		Foreground: a.options.Foreground, Log: e.log.Named("program"),
	}
	if p.Dir == "" {
		p.Dir = a.config.Dir()
	}
	s.program = p
	return s, p.Check()
}

// stopSignals are the signals that run.stop_signal can name.
var stopSignals = map[string]syscall.Signal{
	"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGQUIT": syscall.SIGQUIT, "SIGHUP": syscall.SIGHUP,
	"SIGUSR1": syscall.SIGUSR1, "SIGUSR2": syscall.SIGUSR2, "SIGKILL": syscall.SIGKILL,
}

// output is where a program's stream goes: to w, or into the log.
func output(w io.Writer, log hclog.Logger, stream string) io.Writer {
	if w != nil {
		return w
	}
	return log.Named("program").With("stream", stream).StandardWriter(&hclog.StandardLoggerOptions{ForceLevel: hclog.Info})
}

// begin is called once the node runs.
func (s *service) begin() {}

// end waits for everything that was started.
func (s *service) end() { s.running.Wait() }

// fenceLeftovers runs the fence hook for a session that is no more.
func (s *service) fenceLeftovers() error { return nil }

// Extend implements node.Service: it moves the instant at which the watchdog
// kills the program. It has taken effect when it returns, also if it is sooner
// than before, which a leader tells nobody until then.
func (s *service) Extend(until core.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = boottime.Instant(until).Add(-s.allow)
	if s.run != nil {
		if err := s.run.SetDeadline(s.deadline); err != nil {
			s.log.Debug("the watchdog does not answer", "error", err)
		}
	}
}

// Promote implements node.Service.
func (s *service) Promote(epoch core.Epoch, done func(bool)) {
	s.mu.Lock()
	s.fenced = false
	s.mu.Unlock()
	s.running.Go(func() { done(s.promote(epoch)) })
}

func (s *service) promote(epoch core.Epoch) bool {
	if s.program == nil {
		return true
	}
	s.mu.Lock()
	if s.fenced || alive(s.run) {
		s.mu.Unlock()
		return false
	}
	run := s.program.Start(uint64(epoch), s.deadline)
	s.run = run
	s.mu.Unlock()
	s.running.Go(func() { s.await(run) })
	if err := run.Started(context.Background()); err != nil {
		s.log.Error("the program could not be started", "error", err)
		return false
	}
	return true
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
func (s *service) await(run *supervise.Run) {
	<-run.Done()
	s.mu.Lock()
	asked := s.fenced
	if s.run == run {
		s.run = nil
	}
	s.mu.Unlock()
	if asked {
		return
	}
	exit := run.Exit()
	s.log.Warn("the program ended and is not started again: giving up leadership", "status", exit.Status.ExitCode(), "error", exit.Err)
	s.election.node.ServiceEnded()
	select {
	case s.exited <- exit.Status.ExitCode():
	default:
	}
}

// Fence implements node.Service.
func (s *service) Fence(_ core.Epoch, until core.Instant, done func(bool)) {
	s.mu.Lock()
	s.fenced = true
	run := s.run
	s.mu.Unlock()
	if run == nil {
		done(true)
		return
	}
	s.running.Go(func() {
		// The watchdog kills the group at the deadline in any case. What is
		// waited for here is the proof that it is gone.
		left := max(0, boottime.Instant(until).Left()) + time.Second
		ctx, cancel := context.WithTimeout(context.Background(), left)
		defer cancel()
		err := run.Stop(ctx)
		if err != nil {
			s.log.Error("the program is not known to be gone", "error", err)
		}
		done(err == nil)
	})
}

// Demote implements node.Service.
func (s *service) Demote(core.Epoch) {}

// Follow implements node.Service.
func (s *service) Follow(core.Epoch, string) {}

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
