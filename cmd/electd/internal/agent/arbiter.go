package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/arbiter/probe"
	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/plugins/verify"
)

// Spec says how the process of the configured arbiter is started: electd itself
// for a built-in one, else the plugin's file.
func Spec(c *config.Config, log hclog.Logger) (plugins.Spec, error) {
	spec := plugins.Spec{Name: c.Arbiter.Name, Log: log}
	if p := c.Arbiter.Plugin; p != nil {
		spec.Path, spec.Pin, spec.Env, spec.Plaintext = p.Path, p.SHA256, p.Env, p.Insecure
	}
	if spec.Path != "" {
		return spec, nil
	}
	if builtin.Find(c.Arbiter.Name) != nil {
		spec.Self = []string{builtin.Command, c.Arbiter.Name}
		return spec, nil
	}
	path, err := plugins.Find(c.PluginDir, c.Arbiter.Name)
	spec.Path = path
	return spec, err
}

// OpenArbiter starts the configured arbiter's process and hands it the user's
// attributes. What is wrong with them is told with file, line and column.
func OpenArbiter(ctx context.Context, c *config.Config, log hclog.Logger) (*plugins.Host, error) {
	host, _, err := openArbiter(ctx, c, log)
	return host, err
}

// openArbiter is OpenArbiter, and returns the attributes as well.
func openArbiter(ctx context.Context, c *config.Config, log hclog.Logger) (*plugins.Host, plugins.Values, error) {
	host, values, err := launchArbiter(ctx, c, log)
	if err != nil {
		return nil, nil, err
	}
	if err := host.Configure(ctx, values); err != nil {
		return nil, nil, errors.Join(c.Locate("arbiter", err).Err(), host.Close())
	}
	if err := c.CheckCapabilities(host.Capabilities()).Err(); err != nil {
		return nil, nil, errors.Join(err, host.Close())
	}
	return host, values, nil
}

// launchArbiter starts the configured arbiter's process and decodes the user's
// attributes by its schema.
func launchArbiter(ctx context.Context, c *config.Config, log hclog.Logger) (*plugins.Host, plugins.Values, error) {
	spec, err := Spec(c, log)
	if err != nil {
		return nil, nil, c.Locate("arbiter", err).Err()
	}
	host, err := plugins.Launch(ctx, spec)
	if err != nil {
		return nil, nil, c.Locate("arbiter", err).Err()
	}
	values, diags := c.DecodeArbiter(host.Schema())
	if err := diags.Err(); err != nil {
		return nil, nil, errors.Join(err, host.Close())
	}
	return host, values, nil
}

// VerifyArbiter runs the conformance kit on the configured arbiter, in processes
// of its own. The error is about the start or the attributes.
func VerifyArbiter(ctx context.Context, c *config.Config) (verify.Report, error) {
	host, values, err := launchArbiter(ctx, c, hclog.NewNullLogger())
	if err != nil {
		return verify.Report{}, err
	}
	if err := host.Close(); err != nil {
		return verify.Report{}, err
	}
	spec, err := Spec(c, hclog.NewNullLogger())
	if err != nil {
		return verify.Report{}, err
	}
	report, err := verify.Run(ctx, verify.Options{Spec: spec, Values: values})
	if err != nil && ctx.Err() == nil {
		err = c.Locate("arbiter", err).Err()
	}
	return report, err
}

// CheckArbiter checks the user's attributes against the arbiter, without keeping
// it, and returns what it has to say about them, a sentence each.
func CheckArbiter(ctx context.Context, c *config.Config, log hclog.Logger) ([]string, error) {
	host, values, err := launchArbiter(ctx, c, log)
	if err != nil {
		return nil, err
	}
	d := builtin.Deployment{Node: c.Node.ID, Listeners: []builtin.Listener{{Name: "api.listen", Address: c.API.Listen}}}
	if t := c.Transport; t != nil {
		d.Listeners = append(d.Listeners, builtin.Listener{Name: "transport.listen", Address: t.Listen})
	}
	for _, p := range c.Peers() {
		d.Peers = append(d.Peers, p.ID)
	}
	for _, e := range c.Elections {
		d.Lease = max(d.Lease, e.ArbiterLease)
	}
	say, checked, err := builtin.Check(c.Arbiter.Name, values, d)
	if !checked {
		err = host.Configure(ctx, values)
	}
	if err != nil {
		err = c.Locate("arbiter", err).Err()
	} else if !checked {
		err = c.CheckCapabilities(host.Capabilities()).Err()
	}
	return say, errors.Join(err, host.Close())
}

// probeKey begins the key that a node's probes write to, under the arbiter's
// prefix. Each node has its own, so that nodes may probe at once.
const probeKey = "electd-probe-"

// Probe examines the store behind an arbiter: by the plugin's own means where
// it has some, else by what every store has to do.
func Probe(ctx context.Context, host *plugins.Host, node string) (core.ProbeReport, error) {
	if host.Capabilities().Probe {
		return host.Probe(ctx, probeKey+node)
	}
	report := probe.Semantics(ctx, probe.Subject{
		Open:  func(context.Context) (core.Arbiter, error) { return lent{host.Arbiter()}, nil },
		Key:   probeKey + node,
		Pause: host.Capabilities().MinWriteInterval,
	})
	report.Store = host.Info().Name
	return report, ctx.Err()
}

// lent is an arbiter that its borrower cannot close.
type lent struct{ core.Arbiter }

// Close does nothing.
func (lent) Close() error { return nil }

// gate keeps elections from standing until the store has been probed. Following
// and answering a leader's heartbeats need no gate.
type gate struct {
	mu    sync.Mutex
	state string
	why   string
}

// The states of a gate, as the API tells them.
const (
	probePending     = "pending"
	probePassed      = "passed"
	probeSkipped     = "skipped"
	probeUnreachable = "unreachable"
	probeRefused     = "refused"
)

func (g *gate) set(state, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state, g.why = state, why
}

func (g *gate) get() (state, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state, g.why
}

func (g *gate) open() bool {
	state, _ := g.get()
	return state == probePassed || state == probeSkipped
}

// ErrRefused is why a daemon ends by itself: its store would let two leaders live.
var ErrRefused = errors.New("the store is refused")

// probeUntilKnown probes until the store answers, visibly, and opens the gate or
// ends the daemon.
func (a *Agent) probeUntilKnown(ctx context.Context) {
	said := ""
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		report, err := Probe(ctx, a.host, a.dir.Node())
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && report.Worst() < core.Unreachable:
			a.log.Info("the store keeps what an election needs", "store", report.Store, "requests", report.Requests)
			a.openGate(probePassed)
			return
		case err == nil && report.Worst() == core.Refused:
			refused := fmt.Errorf("%w: %s", ErrRefused, findings(report, core.Refused))
			a.gate.set(probeRefused, refused.Error())
			a.fail(refused)
			return
		}
		why := findings(report, core.Unreachable)
		if err != nil {
			why = err.Error()
		}
		if same := recurring(why); same != said {
			a.log.Warn("the store does not answer yet: this node follows, but does not stand", "why", why)
			said = same
		}
		a.gate.set(probeUnreachable, why)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause/2)): // not all nodes at one moment
		}
	}
}

// passing is what differs between two probes that fail alike: the keys they
// write, and words with figures that are longer than a status code or an epoch,
// as the identifiers of requests, ports and durations are.
var passing = regexp.MustCompile(probeKey + `[\w-]*|[\w+=-]{4,}\d[\w+=-]*|[\w+=-]*\d[\w+=-]{4,}`)

// recurring is what stays of a reason from one probe to the next.
func recurring(why string) string { return passing.ReplaceAllString(why, "#") }

// findings joins what was observed with that verdict.
func findings(r core.ProbeReport, v core.Verdict) string {
	var text string
	for _, f := range r.Findings {
		if f.Verdict != v {
			continue
		}
		if text != "" {
			text += "; "
		}
		text += f.Check + ": " + f.Observed
		if f.Advice != "" {
			text += " (" + f.Advice + ")"
		}
	}
	return text
}

func (a *Agent) openGate(state string) {
	a.gate.set(state, "")
	for _, e := range a.all() {
		e.restand()
	}
}

// arbiterStatus is what the API says of the arbiter.
func (a *Agent) arbiterStatus() client.Arbiter {
	status := a.host.Status()
	state, why := a.gate.get()
	out := client.Arbiter{
		Name: a.host.Info().Name, Version: a.host.Info().Version, Running: status.Running,
		Restarts: max(0, status.Starts-1), Problem: status.Problem, Probe: state,
	}
	if out.Problem == "" {
		out.Problem = why
	}
	a.report.tell(&out)
	return out
}

// chdir makes the folder that the configuration's relative paths start at the
// working folder, for the arbiter's own attributes too.
func chdir(c *config.Config) error {
	if err := os.Chdir(c.Dir()); err != nil {
		return fmt.Errorf("the configuration's folder: %w", err)
	}
	return nil
}
