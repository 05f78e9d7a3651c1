// Package agent runs a configuration: it opens the data directory, starts the
// arbiter's process and the transport, runs every election with what it
// supervises, and serves the API.
package agent

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/api"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/datadir"
	"github.com/electd/electd/cmd/electd/internal/telemetry"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/transport"
	"github.com/electd/electd/transport/wire"
)

// Options say what to run. Config is required.
type Options struct {
	Config  *config.Config
	File    string       // that it was read from; empty: none
	Dir     *datadir.Dir // already open; nil: opened as the configuration says
	Version string
	Log     hclog.Logger

	Checked func() // called once all settings are found right, before any election starts; nil: nobody

	TraceDir string             // where every election's steps are written; empty: nowhere
	Control  io.ReadWriteCloser // the demo's control; nil: none

	// Of the supervised program. Nil output goes to the log.
	Stdin          *os.File
	Stdout, Stderr io.Writer
	Foreground     bool
}

// Agent is a running daemon.
type Agent struct {
	options Options
	log     hclog.Logger
	started time.Time

	dir       *datadir.Dir
	host      *plugins.Host
	wire      *wire.Transport     // nil without peers
	transport transport.Transport // the same as an interface, nil if nil
	api       *api.Server
	traces    *telemetry.Exporter // nil: none are asked for
	addresses core.Addresses

	permitsBefore bool // programs may act on the word of the session before

	leash   *leash
	clocks  *clocks
	plugin  pluginFile   // of reloading
	arbiter core.Arbiter // the host's, its calls limited
	outage  *outage
	report  *report
	journal *journal
	gate    gate
	control *control

	cancel  context.CancelFunc
	running sync.WaitGroup
	failed  chan error // why the daemon must end by itself

	reloading sync.Mutex   // one reload at a time
	mu        sync.RWMutex // of what a reload changes
	config    *config.Config
	elections []*election
}

// giveUpWithin is how long a start that fails has to release what it has taken.
const giveUpWithin = 10 * time.Second

// Start starts everything. The error says what is wrong in one line a thing, or is
// the cause of ctx if that ended first. Nothing is left running after an error.
func Start(ctx context.Context, o Options) (*Agent, error) {
	a := &Agent{
		options: o, config: o.Config, log: o.Log, started: time.Now(), dir: o.Dir,
		journal: newJournal(), clocks: newClocks(o.Log), outage: newOutage(o.Log),
		report: newReport(o.Log), failed: make(chan error, 1),
	}
	if err := a.start(ctx); err != nil {
		ended := context.Cause(ctx)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpWithin)
		defer cancel()
		err = errors.Join(err, a.close(ctx))
		if ended != nil {
			return nil, ended // the rest only says what it was in the middle of
		}
		return nil, err
	}
	return a, nil
}

func (a *Agent) start(ctx context.Context) error {
	background, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	if err := chdir(a.config); err != nil {
		return err
	}
	var err error
	if a.dir == nil {
		a.dir, err = datadir.Open(a.config.Node.DataDir, a.config.Node.ID, datadir.Identity(a.config.Node.Identity))
		if err != nil {
			return err
		}
	}
	if err := a.launch(ctx); err != nil {
		return err
	}
	a.arbiter = limit(a.host.Arbiter())
	if err := a.startTransport(); err != nil {
		return err
	}
	if err := a.takePermits(); err != nil {
		return err
	}
	if a.api, err = api.New(a.apiConfig(a.config.API)); err != nil {
		return locateAPI(a.config, err)
	}
	a.addresses = core.Addresses{API: a.api.Advertise()}
	if t := a.config.Transport; t != nil {
		a.addresses.Peer = t.Advertise
	}
	if a.options.Control != nil {
		a.control = newControl(a.options.Control, a.wire, a.fail)
	}
	a.gate.set(probePending, "")
	if a.config.Arbiter.Probe == "skip" {
		a.log.Warn("the store is not probed: that it keeps what an election needs is taken on trust")
		a.gate.set(probeSkipped, "")
	}
	if a.leash, err = newLeash(watchdogOf(a.config), a.fail, a.log); err != nil {
		return a.config.Locate("watchdog", err).Err()
	}
	if err := a.startTraces(ctx); err != nil {
		return err
	}
	if a.options.Checked != nil {
		a.options.Checked()
	}
	if err := a.startElections(ctx); err != nil {
		return err
	}
	if !a.gate.open() {
		a.running.Go(func() { a.probeUntilKnown(background) })
	}
	a.running.Go(func() { a.report.keep(background, a.host, a.prefer) })
	a.api.Serve(a)
	a.config.Forget()
	return nil
}

// startTransport starts the transport if peers are configured.
func (a *Agent) startTransport() error {
	t := a.config.Transport
	if t == nil {
		return nil
	}
	c := wire.Config{
		Node: a.config.Node.ID, Listen: t.Listen, Insecure: t.Insecure, ForceInsecure: t.ForceInsecure,
		Interval: a.shortestInterval(), Log: a.log.Named("transport"),
	}
	for _, p := range t.Peers {
		c.Peers = append(c.Peers, wire.Peer{Node: p.ID, Address: p.Address})
	}
	if t.TLS != nil {
		c.TLS = wire.TLS{CAFile: t.TLS.CAFile, CertFile: t.TLS.CertFile, KeyFile: t.TLS.KeyFile}
	}
	w, err := wire.New(c)
	if err != nil {
		return a.config.Locate("transport", err).Err()
	}
	a.wire, a.transport = w, w
	return nil
}

func (a *Agent) shortestInterval() time.Duration {
	shortest := time.Duration(0)
	for _, e := range a.config.Elections {
		if shortest == 0 || e.HeartbeatInterval < shortest {
			shortest = e.HeartbeatInterval
		}
	}
	return shortest
}

func (a *Agent) apiConfig(c config.API) api.Config {
	out := api.Config{
		Socket: c.Socket, Listen: c.Listen, Advertise: c.Advertise, TokenFile: c.TokenFile,
		LeaderCode: c.StatusCode.Leader, NotLeaderCode: c.StatusCode.NotLeader, Log: a.log.Named("api"),
		NotePermit: a.notePermits,
	}
	if out.Socket == "" {
		out.Socket = filepath.Join(a.dir.Path(), "api.sock")
	}
	if c.TLS != nil {
		out.CAFile, out.CertFile, out.KeyFile = c.TLS.CAFile, c.TLS.CertFile, c.TLS.KeyFile
	}
	return out
}

// locateAPI adds the place in the configuration to an error that names an
// attribute. Others, of the sockets, are told as they are.
func locateAPI(c *config.Config, err error) error {
	if wrong := (*core.AttributeError)(nil); errors.As(err, &wrong) {
		return c.Locate("api", err).Err()
	}
	return err
}

// settings are what the daemon runs on now.
func (a *Agent) settings() *config.Config {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.config
}

// all are the elections that run now, in the order of the configuration.
func (a *Agent) all() []*election {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.elections
}

// observers are all who are told what an election does.
func (a *Agent) observers(e *election) node.Observer {
	all := node.Observers{
		&observer{election: e.name, log: e.log, journal: a.journal, outage: a.outage, since: time.Now(), explain: e.explain},
		e.check, &e.steps, a.api.Observe(e.name),
	}
	if e.traces != nil {
		all = append(all, e.traces)
	}
	if a.control != nil {
		all = append(all, a.control.observe(e.name))
	}
	return all
}

// fail ends the daemon by itself, for a reason that a restart would not mend.
func (a *Agent) fail(err error) {
	select {
	case a.failed <- err:
	default:
	}
}

// Failed delivers the reason why the daemon must end by itself.
func (a *Agent) Failed() <-chan error { return a.failed }

// Exited delivers the exit status of the only election's program once it ended
// and is not started again.
func (a *Agent) Exited() <-chan int { return a.all()[0].service.exited }

// Forward passes a signal on to every supervised program.
func (a *Agent) Forward(s os.Signal) {
	for _, e := range a.all() {
		e.service.forward(s)
	}
}

func (a *Agent) peerProblems() map[string]string {
	problems := map[string]string{}
	if a.transport == nil {
		return problems
	}
	for _, p := range a.transport.Peers() {
		if p.Err != nil && !p.Connected {
			problems[p.Node] = p.Err.Error()
		}
	}
	return problems
}

// Node implements api.Source.
func (a *Agent) Node() client.Node {
	out := client.Node{Node: a.dir.Node(), Session: a.dir.Session(), Version: a.options.Version, Arbiter: a.arbiterStatus(), StartedAt: a.started}
	for _, e := range a.all() {
		out.Elections = append(out.Elections, e.status())
	}
	return out
}

// Election implements api.Source.
func (a *Agent) Election(name string) (api.Election, bool) {
	for _, e := range a.all() {
		if e.name == name {
			return e, true
		}
	}
	return nil, false
}

// Transitions implements api.Source.
func (a *Agent) Transitions(after uint64) ([]client.Transition, <-chan struct{}) {
	return a.journal.after(after)
}

// Status implements api.Election.
func (e *election) Status() client.Election { return e.status() }

// StepDown implements api.Election.
func (e *election) StepDown(ctx context.Context, to string) (client.Done, error) {
	leader := e.node.Status().Leader
	err := e.node.StepDown(ctx, to)
	if errors.Is(err, node.ErrForwarded) {
		return client.Done{Outcome: client.OutcomeForwarded, To: leader}, nil
	}
	return client.Done{Outcome: client.OutcomeDone}, err
}

// Pause implements api.Election.
func (e *election) Pause(d time.Duration) error { return e.pause(d) }

// Resume implements api.Election.
func (e *election) Resume() error { return e.unpause() }

// Admit implements api.Election.
func (e *election) Admit() error {
	if !e.node.Status().Stranger {
		return errors.New("this node is no stranger to the record: it may challenge as it is")
	}
	e.log.Warn("admission forced: an operator swears that every elector of the record is gone for good")
	e.node.Admit()
	return nil
}

// ProgramRuns reports whether a supervised program runs now.
func (a *Agent) ProgramRuns() bool {
	for _, e := range a.all() {
		if e.service.programRuns() {
			return true
		}
	}
	return false
}
