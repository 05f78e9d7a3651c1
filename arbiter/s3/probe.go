package s3

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/arbiter/probe"
	"github.com/electd/electd/core"
)

var _ core.Prober = (*Arbiter)(nil)

// Probe examines the bucket: what this node may do there, whether the
// conditions of writes hold under concurrency, how the bucket is set up, and how
// far clocks and credentials can be relied on. It writes only keys that begin
// with the given one, and removes them where it may. The error is that of a
// wrong key or of ctx; whatever the store does is in the report.
func (a *Arbiter) Probe(ctx context.Context, key string) (core.ProbeReport, error) {
	if _, err := a.object(key); err != nil {
		return core.ProbeReport{}, err
	}
	p := &prober{Arbiter: a, key: key}
	may := p.permissions(ctx)
	report := core.ProbeReport{}
	if may.stopped == nil {
		report = probe.Semantics(ctx, probe.Subject{Open: p.open, Key: key, Forget: p.forgetter(may), Resolution: dateResolution})
		report.Findings = append(report.Findings, a.formFinding())
		if report.Worst() != core.Unreachable {
			report.Findings = append(report.Findings, p.bucketFindings(ctx)...)
		}
		if report.OffsetBy > 0 {
			report.Findings = append(report.Findings, clockFinding(report.Offset, report.OffsetBy))
		}
	}
	report.Findings = append([]core.Finding{may.finding()}, report.Findings...)
	report.Findings = append(report.Findings, a.credentialsFinding(time.Now()), a.transportFinding())
	report.Store = a.storeName()
	report.Requests = p.requests()
	return report, ctx.Err()
}

// prober is one probe of an arbiter.
type prober struct {
	*Arbiter
	key string

	mu     sync.Mutex
	opened []*Arbiter
	own    int // requests sent on the arbiter's own connections
}

// open returns an arbiter that shares what is known of credentials, clocks and
// ETags but has connections of its own.
func (p *prober) open(context.Context) (core.Arbiter, error) {
	sibling := &Arbiter{
		config: p.config, region: p.region, endpoint: p.endpoint, host: p.host, roots: p.roots,
		client: p.client, keeper: p.keeper, form: p.form, digests: p.digests,
		wire: httpstore.NewWire(p.roots, p.config.ConnectTimeout), borrowed: true,
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, sibling)
	return sibling, nil
}

// requests returns what the probe cost so far.
func (p *prober) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.own
	for _, a := range p.opened {
		n += int(a.Requests())
	}
	return n
}

// storeName says what kind of server answered, as far as it tells.
func (a *Arbiter) storeName() string {
	name := a.wire.Server()
	if name == "" {
		name = "unnamed server"
	}
	return name + " at " + a.endpointName()
}

// formFinding tells how If-Match must carry an ETag here.
func (a *Arbiter) formFinding() core.Finding {
	form, pinned := a.form.current()
	f := core.Finding{
		Check: "etag-form", Why: "A store that does not understand the ETag refuses every renewal.",
		Verdict: core.Passed, Observed: "If-Match is understood with the ETag " + string(form),
	}
	switch {
	case !pinned:
		f.Verdict, f.Observed = core.Noted, "not found out: no swap was applied"
	case form == unquoted && a.config.ETag == "auto":
		f.Verdict, f.Advice = core.Noted, `set etag = "unquoted", so that no first write is lost after a start`
	}
	return f
}

// dateResolution is that of the dates answers carry, as far as it can be relied
// on: some servers make the text once a second and send it until the next.
const dateResolution = 2 * httpstore.Resolution

// Offsets of clocks that are noted and warned about.
const (
	offsetNoted  = 2 * time.Second
	offsetWarned = time.Minute
)

func clockFinding(offset, by time.Duration) core.Finding {
	f := core.Finding{
		Check: "clock", Why: "Signed requests carry this node's time; nobody's leadership depends on it.",
		Verdict:  core.Passed,
		Observed: fmt.Sprintf("this node's clock is %s, give or take %s", apart(-offset), by.Round(time.Millisecond)),
	}
	switch {
	case max(offset, -offset)-by > offsetWarned:
		f.Verdict, f.Advice = core.Warned, "set this node's clock; requests are signed with the store's time meanwhile, but the first one after each start is refused if the clocks are more than 15 minutes apart"
	case max(offset, -offset)-by > offsetNoted:
		f.Verdict, f.Advice = core.Noted, "times that are shown to people will look odd"
	}
	return f
}

// credentialsFinding tells how long the credentials last and whether they are
// renewed.
func (a *Arbiter) credentialsFinding(now time.Time) core.Finding {
	c := a.keeper.status()
	f := core.Finding{
		Check: "credentials", Why: "A leader is lost at the very moment when nobody can look after expired credentials.",
		Verdict: core.Passed, Observed: fmt.Sprintf("key %s from %s does not expire", c.ID, c.Source),
	}
	if !c.Expires.IsZero() {
		f.Observed = fmt.Sprintf("key %s from %s ends in %s and is renewed ahead of that", c.ID, c.Source, c.Expires.Sub(now).Round(time.Second))
	}
	switch {
	case c.Problem != "":
		f.Verdict, f.Observed, f.Advice = core.Warned, "the last renewal failed: "+c.Problem, "look after the source of the credentials"
	case a.config.SessionToken != "":
		f.Verdict, f.Observed, f.Advice = core.Warned, "session_token is a fixed one: it ends and cannot be renewed", "use a profile, a role or the standard chain instead"
	}
	return f
}

// transportFinding warns where answers can be forged on the way: requests are
// signed, answers are not.
func (a *Arbiter) transportFinding() core.Finding {
	f := core.Finding{
		Check: "transport", Why: "Answers of the store are not signed; only TLS keeps them from being forged.",
		Verdict: core.Passed, Observed: "TLS to " + a.host.Host,
	}
	if a.host.Scheme == "https" {
		return f
	}
	if ip := net.ParseIP(a.host.Hostname()); ip != nil && ip.IsLoopback() || a.host.Hostname() == "localhost" {
		f.Observed = "plain HTTP, on loopback"
		return f
	}
	f.Verdict, f.Observed, f.Advice = core.Warned, "plain HTTP to "+a.host.Host, "use an https:// endpoint, with tls_ca_file for an authority of your own"
	return f
}
