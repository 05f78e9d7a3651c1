package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/datadir"
	"github.com/electd/electd/cmd/electd/internal/telemetry"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/transport"
)

// election is one election as this daemon runs it: the node, what it
// supervises, and what decides whether it may stand.
type election struct {
	agent   *Agent
	name    string
	session string
	log     hclog.Logger
	dir     *datadir.Election
	node    *node.Node
	running chan struct{} // closed once node is set
	service *service
	check   *clockCheck
	steps   steps
	trace   *traceFile
	traces  *telemetry.Election // nil: none are asked for

	preference preference  // of the arbiter
	removed    atomic.Bool // from the configuration, while the daemon runs

	mu        sync.Mutex
	config    config.Election
	healthy   bool
	healthWhy string
	resume    *time.Timer
}

// newElection assembles an election that does not run yet.
func (a *Agent) newElection(c config.Election) (*election, error) {
	e := &election{
		agent: a, name: c.Name, config: c, log: a.log.With("election", c.Name),
		running: make(chan struct{}), check: newClockCheck(a.clocks, c.ClockCheck),
		healthy: c.Health == nil,
	}
	if !e.healthy {
		e.healthWhy = "the health check has not answered yet"
	}
	if a.traces != nil {
		e.traces = a.traces.Observe(c.Name)
	}
	var err error
	if e.dir, err = a.dir.Election(c.Name); err != nil {
		return nil, err
	}
	if e.service, err = newService(e, c); err != nil {
		return nil, fmt.Errorf("election %q: %w", c.Name, err)
	}
	return e, nil
}

// start starts an election in a session of the daemon's. The lease of the session
// named previous, if any, may be taken back at once.
func (e *election) start(session, previous string) error {
	a, c := e.agent, e.config
	e.session = session
	var err error
	if e.trace, err = openTrace(a.options.TraceDir, c.Name); err != nil {
		return err
	}
	floor, known := e.dir.Floor()
	started := node.Config{
		Core: e.coreConfig(c, previous), Standing: e.standing(),
		Floor: floor, FloorKnown: known,
		Arbiter: a.arbiter, Transport: e.transport(), Disk: e.dir, Service: e.service,
		Observer: a.observers(e), Trace: e.trace.tracer(),
	}
	if e.node, err = node.Start(started); err != nil {
		e.trace.close()
		return err
	}
	close(e.running)
	if err := e.service.watchHealth(c.Health); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), c.FenceMargin+time.Second)
		defer cancel()
		return fmt.Errorf("election %q: %w", c.Name, errors.Join(err, e.stop(ctx)))
	}
	e.awaitResume()
	return nil
}

// transport is the transport as this election uses it; nil without peers.
func (e *election) transport() transport.Transport {
	if e.agent.transport == nil {
		return nil
	}
	return checked{e.agent.transport, e.check}
}

// serviceEnded tells that the program ended and is not started again.
func (e *election) serviceEnded() {
	<-e.running
	e.node.ServiceEnded()
}

// coreConfig is the election's configuration as the protocol takes it.
func (e *election) coreConfig(c config.Election, previous string) core.Config {
	a := e.agent
	out := core.Config{
		Election: c.Name, Node: a.dir.Node(), Identity: a.dir.Identity(), Session: e.session, Previous: previous,
		Addresses: a.addresses, Software: a.options.Version,
		ArbiterLease: c.ArbiterLease, HeartbeatInterval: c.HeartbeatInterval,
		HeartbeatLease: c.HeartbeatLease, FenceMargin: c.FenceMargin, ArbiterTimeout: c.ArbiterTimeout,
	}
	for _, p := range a.settings().Peers() {
		out.Peers = append(out.Peers, p.ID)
	}
	return out
}

// standing is whether this node may stand in this election.
func (e *election) standing() core.Standing {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, paused := e.dir.Paused(time.Now())
	return core.Standing{
		Healthy: e.healthy && e.agent.gate.open(), Paused: paused, Priority: e.config.Priority,
	}
}

// restand tells the node whether it may stand, after something changed.
func (e *election) restand() { e.node.Stand(e.standing()) }

// setHealth is the health gate's word.
func (e *election) setHealth(healthy bool, why string) {
	e.mu.Lock()
	e.healthy, e.healthWhy = healthy, why
	e.mu.Unlock()
	if healthy {
		e.log.Info("this node is healthy: it may lead", "because", why)
	} else {
		e.log.Warn("this node is not healthy: it does not stand, and gives up leading if another one may", "because", why)
	}
	e.restand()
}

// because is the reason of the last transition, for hooks.
func (e *election) because() string {
	last := e.agent.journal.of(e.name, 1)
	if len(last) == 0 {
		return ""
	}
	return last[0].Reason
}

// pause keeps this node from standing for a while, across restarts.
func (e *election) pause(d time.Duration) error {
	if d <= 0 {
		return errors.New("say for how long: a pause ends by itself")
	}
	if err := e.dir.Pause(time.Now().Add(d)); err != nil {
		return err
	}
	e.log.Info("paused: this node does not stand", "for", d)
	e.restand()
	e.awaitResume()
	return nil
}

func (e *election) unpause() error {
	if err := e.dir.Resume(); err != nil {
		return err
	}
	e.mu.Lock()
	if e.resume != nil {
		e.resume.Stop()
	}
	e.mu.Unlock()
	e.log.Info("resumed: this node stands again")
	e.restand()
	return nil
}

// awaitResume stands again when a pause ends by itself.
func (e *election) awaitResume() {
	until, paused := e.dir.Paused(time.Now())
	if !paused {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.resume != nil {
		e.resume.Stop()
	}
	e.resume = time.AfterFunc(time.Until(until), e.pauseEnds)
}

// pauseEnds looks again if the wall clock, which a pause is kept by, was set back.
func (e *election) pauseEnds() {
	if _, paused := e.dir.Paused(time.Now()); paused {
		e.awaitResume()
		return
	}
	e.log.Info("the pause is over: this node stands again")
	e.restand()
}

// stop releases what is held, within ctx, and ends everything.
func (e *election) stop(ctx context.Context) error {
	err := e.node.Stop(ctx)
	e.mu.Lock()
	if e.resume != nil {
		e.resume.Stop()
	}
	e.mu.Unlock()
	e.service.end(ctx)
	e.trace.close()
	return err
}

// status is what the API says of this election.
func (e *election) status() client.Election {
	s := e.node.Status()
	e.mu.Lock()
	healthy, healthWhy, settings := e.healthy, e.healthWhy, e.config
	e.mu.Unlock()
	until, paused := e.dir.Paused(time.Now())
	out := client.Election{
		Election: e.name, Node: s.Node, Session: s.Session,
		Role: role(s), Phase: s.Phase.String(), Leading: s.Leading,
		Epoch: uint64(s.Epoch), Revision: uint64(s.Revision), Floor: uint64(s.Floor),
		Leader: believed(s), Holder: s.Leader, Why: s.Why, Because: e.explain(s.Because), Trouble: string(s.Trouble),
		AuthorityMS: s.Left.Milliseconds(), ActForMS: s.ActFor.Milliseconds(),
		ArbiterMS: s.Arbiter.Milliseconds(), FreeInMS: s.FreeIn.Milliseconds(),
		ValidForMS: validFor(s, e.coreConfig(settings, "")).Milliseconds(),
		Priority:   settings.Priority, Healthy: healthy, HealthWhy: healthWhy,
		Paused: paused, PausedUntil: ahead(until, paused), Stranger: s.Stranger,
		ArbiterLeaseMS: s.Record.ArbiterLease.Milliseconds(), HeartbeatLeaseMS: s.Record.HeartbeatLease.Milliseconds(),
		Requests:    client.Requests{Reads: s.Calls.Reads, Writes: s.Calls.Writes, Failures: s.Calls.Failures},
		Transitions: e.agent.journal.of(e.name, 10),
		Electors:    []string{}, Peers: []client.Peer{},
	}
	if s.Broken != nil {
		out.Role, out.Why = "broken", s.Broken.Error()
	}
	if state, why := e.agent.gate.get(); !e.agent.gate.open() && s.Broken == nil {
		out.Why += fmt.Sprintf("; does not stand: the store's probe is %s %s", state, why)
	}
	if s.Phase.Holds() && s.Phase != core.Releasing && !healthy {
		out.Why += "; this node is not healthy, and stays because no other one can lead"
	}
	if !s.Phase.Holds() {
		out.Why += e.check.explain(s.Leader)
	}
	out.Addresses = addressesOf(out.Leader, s)
	if s.Calls.Last.Err != nil {
		out.Requests.LastError = s.Calls.Last.Err.Error()
	}
	for i := range s.Record.Electors.Len {
		out.Electors = append(out.Electors, s.Record.Electors.List[i].Node)
	}
	problems := e.agent.peerProblems()
	for _, p := range s.Peers {
		out.Peers = append(out.Peers, client.Peer{
			Node: p.Node, Connected: p.Connected, Problem: problems[p.Node], Elector: p.Elector,
			Acknowledges: p.Acknowledges, Eligible: p.Eligible, Paused: p.Paused, Priority: p.Priority,
			API: p.API, Version: p.Software,
		})
	}
	return out
}

// explain says more of a reason where more is known than the protocol knows.
func (e *election) explain(reason core.Reason) string {
	if reason == core.BecauseShutdown && e.removed.Load() {
		return "the election was removed from the configuration"
	}
	return e.preference.explain(reason)
}

// addressesOf are a leader's, from the record or, before that is read, from what
// it says of itself.
func addressesOf(leader string, s node.Status) client.Addresses {
	if leader == "" {
		return client.Addresses{}
	}
	if leader == s.Record.Holder {
		return client.Addresses(s.Record.Addresses)
	}
	for _, p := range s.Peers {
		if p.Node == leader {
			return client.Addresses{API: p.API}
		}
	}
	return client.Addresses{}
}

// ahead is the end of a pause, none if that is over.
func ahead(until time.Time, paused bool) time.Time {
	if !paused {
		return time.Time{}
	}
	return until
}

// role names what the node is to somebody who asks.
func role(s node.Status) string {
	switch {
	case s.Leading:
		return "leader"
	case s.Phase == core.Leading || s.Phase == core.Fenced:
		return "fenced"
	case s.Phase == core.Promoting:
		return "promoting"
	case s.Phase == core.Releasing:
		return "releasing"
	case s.Phase == core.Taking || s.Phase == core.NoLease:
		return "candidate"
	}
	return "follower"
}

// traceFile is where an election's steps are written, if they are.
type traceFile struct {
	file *os.File
	t    *node.Tracer
}

func openTrace(dir, election string) (*traceFile, error) {
	if dir == "" {
		return &traceFile{}, nil
	}
	path := filepath.Join(dir, election+".ndjson")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return &traceFile{file: file, t: node.NewTracer(file)}, nil
}

func (t *traceFile) tracer() *node.Tracer { return t.t }

func (t *traceFile) close() {
	if t.t != nil {
		t.t.Close()
		t.file.Close()
	}
}
