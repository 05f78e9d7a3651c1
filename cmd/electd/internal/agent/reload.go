package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/hooks"
)

// Reload takes over what a running daemon can from a configuration, and returns
// what differs, that which needs a restart included. After an error nothing has
// changed, unless it says that an election could not be started or released;
// elections that are no more are released within ctx.
func (a *Agent) Reload(ctx context.Context, next *config.Config) ([]config.Change, error) {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	if _, diags := next.DecodeArbiter(a.host.Schema()); diags.HasErrors() {
		return nil, diags.Err()
	}
	now := a.settings()
	changes := config.Diff(now, next)
	merged, diags := now.Reloaded(next)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	if err := a.examine(merged); err != nil {
		return nil, err
	}
	if err := a.api.Reload(a.apiConfig(merged.API)); err != nil {
		return nil, next.Locate("api", err).Err()
	}
	if err := a.replacePlugin(ctx, merged); err != nil {
		return nil, errors.Join(err, a.api.Reload(a.apiConfig(now.API)))
	}
	a.log.SetLevel(hclog.LevelFromString(merged.Log.Level))
	a.mu.Lock()
	a.config = merged
	a.mu.Unlock()
	defer merged.Forget()
	return changes, a.reloadElections(ctx, merged.Elections)
}

// examine says what of the elections' hooks, programs, health checks and timings
// could not be taken over.
func (a *Agent) examine(c *config.Config) error {
	var errs []error
	for _, e := range c.Elections {
		at := config.ElectionPath(e.Name)
		if _, err := hooks.New(hooks.Config{Hooks: a.hooks(e)}); err != nil {
			errs = append(errs, c.Locate(at, err).Err())
		}
		if e.Run != nil && len(e.Run.Command) == 0 {
			errs = append(errs, c.Locate(at+".run", errors.New("no command is given")).Err())
		}
	}
	errs = append(errs, c.CheckCapabilities(a.host.Capabilities()).Err())
	return errors.Join(errs...)
}

// reloadElections brings the elections that run into line with those configured.
func (a *Agent) reloadElections(ctx context.Context, wanted []config.Election) error {
	have := map[string]*election{}
	for _, e := range a.all() {
		have[e.name] = e
	}
	var errs []error
	var list, added []*election
	for _, c := range wanted {
		e := have[c.Name]
		delete(have, c.Name)
		if e != nil {
			errs = append(errs, e.reload(c))
		} else {
			var err error
			if e, err = a.addElection(c); err != nil {
				errs = append(errs, err)
				continue
			}
			e.log.Info("election added")
			added = append(added, e)
		}
		list = append(list, e)
	}
	a.mu.Lock()
	a.elections = slices.AppendSeq(slices.Clone(list), maps.Values(have))
	a.mu.Unlock()
	for _, e := range added {
		e.restand() // the probe may have passed before it was in the list
	}
	defer func() {
		a.mu.Lock()
		a.elections = list // what is removed can be asked until it is released
		a.mu.Unlock()
	}()
	var mu sync.Mutex
	var stopping sync.WaitGroup
	for _, e := range have {
		stopping.Go(func() {
			e.log.Info("election removed: releasing it")
			e.removed.Store(true)
			defer a.outage.forget(e.name)
			if err := e.stop(ctx); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	stopping.Wait()
	return errors.Join(errs...)
}

// reload takes over what has changed in an election's configuration.
func (e *election) reload(c config.Election) error {
	e.mu.Lock()
	before := e.config
	e.config = c
	e.mu.Unlock()
	e.check.mode.Store(c.ClockCheck)
	if was, is := e.coreConfig(before, ""), e.coreConfig(c, ""); !reflect.DeepEqual(was, is) {
		if err := e.node.Reload(is); err != nil {
			return err
		}
	}
	e.restand()
	if err := e.service.reload(before, c); err != nil {
		e.mu.Lock()
		e.config = before // so that the same reload tries it again
		e.mu.Unlock()
		return fmt.Errorf("election %q: %w", e.name, err)
	}
	return nil
}

// reload replaces hooks, the health check, and the program as it is started next.
func (s *service) reload(before, c config.Election) error {
	program, err := s.election.agent.program(s.election, c)
	if err != nil {
		return err
	}
	if err := s.hooks.Replace(s.election.agent.hooksConfig(c, s.log)); err != nil {
		return err
	}
	s.replaceProgram(program, killAllowance(c))
	if reflect.DeepEqual(before.Health, c.Health) {
		return nil
	}
	if c.Health == nil {
		s.setHealthGate(nil)
		s.election.setHealth(true, "there is no health check any more")
		return nil
	}
	return s.watchHealth(c.Health)
}

// replaceProgram makes p what is started next. The kill allowance holds at once,
// also for a program that runs.
func (s *service) replaceProgram(p *supervise.Program, allow time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.deadline()
	s.program, s.allow = p, allow
	s.moveDeadline(before)
}
