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
	"github.com/electd/electd/cmd/electd/internal/supervise/health"
	"github.com/electd/electd/cmd/electd/internal/supervise/hooks"
	"github.com/electd/electd/core"
)

// service is what an election makes active here: the promote hook and then the
// supervised program. It implements node.Service. Its methods are called from
// the node's loop and hand everything that takes time to goroutines.
type service struct {
	election *election
	config   config.Election
	log      hclog.Logger
	hooks    *hooks.Runner
	health   *health.Gate       // nil: there is none
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
	s := &service{election: e, config: c, log: e.log, exited: make(chan int, 1)}
	var err error
	if s.hooks, err = hooks.New(a.hooksConfig(c, e.log)); err != nil {
		return nil, err
	}
	if c.Run != nil {
		s.program, s.allow = a.program(e, c), c.Run.KillAllowance
		err = s.program.Check()
	}
	return s, err
}

func (a *Agent) hooksConfig(c config.Election, log hclog.Logger) hooks.Config {
	out := hooks.Config{
		Election: c.Name, Node: a.dir.Node(), API: a.api.URL(), TokenFile: a.config.API.TokenFile,
		Hooks: map[hooks.Kind]hooks.Hook{}, Log: log.Named("hook"),
	}
	for _, h := range c.Hooks {
		out.Hooks[hooks.Kind(h.Event)] = hooks.Hook{Command: h.Command, Dir: a.config.Dir(), Env: h.Env, Timeout: h.Timeout}
	}
	return out
}

func (a *Agent) program(e *election, c config.Election) *supervise.Program {
	r := c.Run
	p := &supervise.Program{
		Election: c.Name, Node: a.dir.Node(), API: a.api.URL(), TokenFile: a.config.API.TokenFile,
		Command: r.Command, Dir: r.Dir, Env: r.Env, Lock: e.dir.ProgramLock(),
		StopSignal: stopSignals[r.StopSignal], StopTimeout: r.StopTimeout, Warning: r.StopTimeout,
		Restart: supervise.Restart{When: supervise.When(r.Restart), Delay: r.RestartDelay, Limit: r.RestartLimit},
		Stdin:   a.options.Stdin, Stdout: output(a.options.Stdout, e.log, "stdout"), Stderr: output(a.options.Stderr, e.log, "stderr"),
		Foreground: a.options.Foreground, Log: e.log.Named("program"),
	}
	if p.Dir == "" {
		p.Dir = a.config.Dir()
	}
	return p
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

// begin starts the health gate, once the node runs.
func (s *service) begin() error {
	h := s.config.Health
	if h == nil {
		return nil
	}
	a := s.election.agent
	var err error
	s.health, err = health.Start(health.Config{
		Command: h.Command, Dir: a.config.Dir(), HTTP: h.HTTP,
		Set:      []string{"ELECTD_ELECTION=" + s.config.Name, "ELECTD_NODE=" + a.dir.Node(), "ELECTD_API=" + a.api.URL()},
		Interval: h.Interval, Timeout: h.Timeout, Failures: h.Failures, Log: s.log.Named("health"),
	}, s.election.setHealth)
	return err
}

// end waits for everything that was started, hooks within ctx.
func (s *service) end(ctx context.Context) {
	if s.health != nil {
		s.health.Close()
	}
	s.hooks.Close(ctx)
	s.running.Wait()
}

// fenceLeftovers runs the fence hook for a session that is no more, and waits
// for it.
func (s *service) fenceLeftovers() error {
	answered := make(chan error, 1)
	s.hooks.Submit(hooks.Request{Kind: hooks.Fence, Reason: "the session before is dead"}, func(r hooks.Result) { answered <- r.Err })
	return <-answered
}

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

// promote runs the hook, which may veto, and then starts the program.
func (s *service) promote(epoch core.Epoch) bool {
	answered := make(chan error, 1)
	s.hooks.Submit(s.request(hooks.Promote, epoch, ""), func(r hooks.Result) { answered <- r.Err })
	if err := <-answered; err != nil {
		s.log.Warn("not promoted", "epoch", epoch, "error", err)
		return false
	}
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

// request is what a hook is told.
func (s *service) request(kind hooks.Kind, epoch core.Epoch, leader string) hooks.Request {
	return hooks.Request{Kind: kind, Epoch: uint64(epoch), Reason: s.election.because(), Leader: leader}
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

// Fence implements node.Service: the program's stop and the fence hook run side
// by side, and both have to be over.
func (s *service) Fence(epoch core.Epoch, until core.Instant, done func(bool)) {
	s.mu.Lock()
	s.fenced = true
	run := s.run
	s.mu.Unlock()
	hook := make(chan error, 1)
	s.hooks.Submit(s.request(hooks.Fence, epoch, ""), func(r hooks.Result) { hook <- r.Err })
	s.running.Go(func() {
		stopped := s.stopProgram(run, until)
		fenced := <-hook
		unguarded := s.awaitGuards(until)
		for _, err := range []error{stopped, fenced, unguarded} {
			if err != nil {
				s.log.Error("not fenced", "epoch", epoch, "error", err)
			}
		}
		done(stopped == nil && fenced == nil && unguarded == nil)
	})
}

// awaitGuards waits until no program beside electd acts on its word any more,
// which is good for less than the authority.
func (s *service) awaitGuards(until core.Instant) error {
	ctx, cancel := context.WithTimeout(context.Background(), max(0, boottime.Instant(until).Left())+time.Second)
	defer cancel()
	return s.election.agent.api.AwaitGuards(ctx, s.config.Name)
}

// stopProgram stops the program and waits for the proof that it is gone. The
// watchdog kills its group at the deadline in any case.
func (s *service) stopProgram(run *supervise.Run, until core.Instant) error {
	if run == nil {
		return nil
	}
	left := max(0, boottime.Instant(until).Left()) + time.Second
	ctx, cancel := context.WithTimeout(context.Background(), left)
	defer cancel()
	return run.Stop(ctx)
}

// Demote implements node.Service.
func (s *service) Demote(epoch core.Epoch) { s.tell(s.request(hooks.Demote, epoch, "")) }

// Follow implements node.Service.
func (s *service) Follow(epoch core.Epoch, leader string) {
	s.tell(s.request(hooks.Follow, epoch, leader))
}

// tell runs a hook whose failure changes nothing but the log.
func (s *service) tell(q hooks.Request) {
	s.hooks.Submit(q, func(r hooks.Result) {
		if r.Err != nil && r.Outcome != hooks.Overtaken {
			s.log.Warn("hook failed", "hook", string(q.Kind), "error", r.Err)
		}
	})
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
