package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/health"
	"github.com/electd/electd/cmd/electd/internal/supervise/hooks"
	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
	"github.com/electd/electd/core"
)

// service is what an election makes active here: the promote hook and then the
// supervised program. It implements node.Service. Its methods are called from
// the node's loop and hand everything that takes time to goroutines.
type service struct {
	election *election
	log      hclog.Logger
	hooks    *hooks.Runner
	exited   chan int       // status of a program that ended for good
	fences   logline.Seldom // what keeps a fence from being over

	running sync.WaitGroup

	mu        sync.Mutex
	health    *health.Gate       // nil: there is none
	program   *supervise.Program // as it is started next; nil: there is none
	allow     time.Duration      // kill allowance
	authority boottime.Instant   // as it stands
	run       *supervise.Run     // nil: no program
	turn      uint64             // rises with every promote and every fence
}

func newService(e *election, c config.Election) (*service, error) {
	s := &service{election: e, log: e.log, exited: make(chan int, 1), allow: killAllowance(c)}
	var err error
	if s.program, err = e.agent.program(e, c); err != nil {
		return nil, err
	}
	s.hooks, err = hooks.New(e.agent.hooksConfig(c, e.log))
	return s, err
}

// killAllowance is how long before the end of the authority the program is killed.
func killAllowance(c config.Election) time.Duration {
	if c.Run == nil {
		return 0
	}
	return c.Run.KillAllowance
}

func (a *Agent) hooksConfig(c config.Election, log hclog.Logger) hooks.Config {
	return hooks.Config{
		Election: c.Name, Node: a.dir.Node(), API: a.api.URL(), TokenFile: a.settings().API.TokenFile,
		Hooks: a.hooks(c), Log: log.Named("hook"),
	}
}

func (a *Agent) hooks(c config.Election) map[hooks.Kind]hooks.Hook {
	out := map[hooks.Kind]hooks.Hook{}
	for _, h := range c.Hooks {
		out[hooks.Kind(h.Event)] = hooks.Hook{Command: h.Command, Dir: a.settings().Dir(), Env: h.Env, Timeout: h.Timeout}
	}
	return out
}

// end waits for everything that was started, hooks within ctx.
func (s *service) end(ctx context.Context) {
	s.setHealthGate(nil)
	s.hooks.Close(ctx)
	over := make(chan struct{})
	go func() {
		s.running.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done(): // a program that is not gone yet has its watchdog
	}
}

// submit asks for a hook, counts and traces it.
func (s *service) submit(q hooks.Request, answer func(hooks.Result)) {
	s.hooks.Submit(q, func(r hooks.Result) {
		s.election.hookRan(q.Kind, r)
		answer(r)
	})
}

// fenceLeftovers runs the fence hook for a session that is no more, and waits
// for it. If ctx ends first the hook is killed, and no other one runs after it.
func (s *service) fenceLeftovers(ctx context.Context) error {
	answered := make(chan error, 1)
	s.submit(hooks.Request{Kind: hooks.Fence, Reason: "the session before is dead"}, func(r hooks.Result) { answered <- r.Err })
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		s.hooks.Close(ctx)
		return context.Cause(ctx)
	}
}

// Extend implements node.Service: it moves the instant at which the watchdog
// kills the program. It has taken effect when it returns, also if it is sooner
// than before, which a leader tells nobody until then.
func (s *service) Extend(until core.Instant) {
	s.election.agent.leash.extend(s, boottime.Instant(until))
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.deadline()
	s.authority = boottime.Instant(until)
	s.moveDeadline(before)
}

// deadline is when the program is killed, as the authority stands. The caller
// holds mu.
func (s *service) deadline() boottime.Instant { return s.authority.Add(-s.allow) }

// moveDeadline tells the watchdog of a program that runs when its deadline is not
// what it was before. The caller holds mu.
func (s *service) moveDeadline(before boottime.Instant) {
	deadline := s.deadline()
	if s.run == nil || deadline == before {
		return
	}
	err := s.run.SetDeadline(deadline)
	switch {
	case err == nil:
	case deadline > before:
		s.log.Warn("the watchdog does not answer: the program's deadline stays sooner than it could be", "error", err)
	default:
		s.log.Error("the watchdog may not know of a sooner deadline: killing the program", "error", err)
		s.run.Kill()
	}
}

// Promote implements node.Service.
func (s *service) Promote(epoch core.Epoch, done func(bool)) {
	s.mu.Lock()
	s.turn++
	turn, authority := s.turn, s.authority
	s.mu.Unlock()
	s.election.agent.leash.tie(s, authority)
	s.running.Go(func() {
		err := s.promote(epoch, turn)
		if err != nil {
			s.log.Warn("not promoted", "epoch", epoch, "error", err)
		}
		done(err == nil)
	})
}

// armWithin bounds the time that arming the hardware watchdog may take.
const armWithin = time.Second

// errOvertaken is why a promotion ends that a fence has come after.
var errOvertaken = errors.New("a fence came meanwhile")

// promote arms the hardware watchdog, runs the hook, which may veto, and then
// starts the program. Nothing of it begins once its turn is over.
func (s *service) promote(epoch core.Epoch, turn uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), armWithin)
	defer cancel()
	if err := s.election.agent.leash.arm(ctx); err != nil {
		return err
	}
	// Nothing becomes active at an epoch that this node could forget, and a node
	// that cannot write gives the lease back.
	if err := s.election.dir.SaveFloor(epoch); err != nil {
		return err
	}
	if err := s.promoteHook(epoch, turn); err != nil {
		return err
	}
	return s.startProgram(epoch, turn)
}

// promoteHook asks for the promote hook, unless its turn is over, and waits for
// it. It asks under the lock, so that a fence's hook comes after it.
func (s *service) promoteHook(epoch core.Epoch, turn uint64) error {
	answered := make(chan error, 1)
	q := s.request(hooks.Promote, epoch, "")
	s.mu.Lock()
	if s.turn != turn {
		s.mu.Unlock()
		return errOvertaken
	}
	s.submit(q, func(r hooks.Result) { answered <- r.Err })
	s.mu.Unlock()
	return <-answered
}

// request is what a hook is told.
func (s *service) request(kind hooks.Kind, epoch core.Epoch, leader string) hooks.Request {
	return hooks.Request{Kind: kind, Epoch: uint64(epoch), Reason: s.election.because(), Leader: leader}
}

// Fence implements node.Service: the program's stop and the fence hook run side
// by side, and both have to be over.
func (s *service) Fence(epoch core.Epoch, until core.Instant, done func(bool)) {
	leash := s.election.agent.leash
	leash.fence(s, boottime.Instant(until))
	hook := make(chan error, 1)
	q := s.request(hooks.Fence, epoch, "")
	s.mu.Lock()
	s.turn++
	run := s.run
	s.submit(q, func(r hooks.Result) { hook <- r.Err })
	s.mu.Unlock()
	s.running.Go(func() {
		stopped := stopProgram(run, until)
		fenced := <-hook
		unguarded := s.awaitGuards(until)
		over := true
		for _, part := range []struct {
			name string
			err  error
		}{{"program", stopped}, {"hook", fenced}, {"guards", unguarded}} {
			if part.err != nil {
				s.notFenced(part.name, epoch, part.err)
				over = false
			}
		}
		if over {
			s.fences.Over()
			leash.free(s)
		}
		done(over)
	})
}

// notFenced says what keeps a fence from being over, which is tried again and
// again.
func (s *service) notFenced(part string, epoch core.Epoch, err error) {
	if s.fences.Due(fmt.Sprint(part, epoch)) {
		s.log.Error("not fenced", "epoch", epoch, "error", err)
		return
	}
	s.log.Debug("still not fenced", "epoch", epoch, "error", err)
}

// awaitGuards waits until no program beside electd acts on its word any more,
// which is good for less than the authority.
func (s *service) awaitGuards(until core.Instant) error {
	ctx, cancel := context.WithTimeout(context.Background(), max(0, boottime.Instant(until).Left())+time.Second)
	defer cancel()
	return s.election.agent.api.AwaitGuards(ctx, s.election.name)
}

// Demote implements node.Service.
func (s *service) Demote(epoch core.Epoch) { s.tell(s.request(hooks.Demote, epoch, "")) }

// Follow implements node.Service.
func (s *service) Follow(epoch core.Epoch, leader string) {
	s.tell(s.request(hooks.Follow, epoch, leader))
}

// tell runs a hook whose failure changes nothing but the log, where the hook's
// own lines say so already.
func (s *service) tell(q hooks.Request) { s.submit(q, func(hooks.Result) {}) }
