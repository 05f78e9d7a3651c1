package gcs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"cloud.google.com/go/storage"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/arbiter/probe"
	"github.com/electd/electd/core"
)

var _ core.Prober = (*Arbiter)(nil)

// Probe examines the bucket: whether the conditions of writes hold under
// concurrency, how the bucket is set up and how it is reached. It writes only keys
// that begin with the given one, at the pace the store bears, and removes them
// where it may. The error is that of a wrong key or of ctx; whatever the store
// does is in the report.
func (a *Arbiter) Probe(ctx context.Context, key string) (core.ProbeReport, error) {
	if _, err := a.object(key); err != nil {
		return core.ProbeReport{}, err
	}
	p := &prober{Arbiter: a}
	before := a.Requests()
	report := probe.Semantics(ctx, probe.Subject{
		Open: p.open, Key: key, Forget: p.forget, Resolution: httpstore.Resolution, Pause: a.pace.interval,
		Writers: racers, Rounds: 2, Samples: 4,
	})
	if report.Worst() != core.Unreachable {
		report.Findings = append(report.Findings, a.bucketFindings(ctx)...)
	}
	report.Findings = append(report.Findings, a.transportFinding())
	report.Store = "Google Cloud Storage"
	if a.config.Endpoint != "" {
		report.Store += "'s API at " + a.config.Endpoint
	}
	report.Requests = int(a.Requests()-before) + p.requests()
	return report, ctx.Err()
}

// racers is how many writes of one object the probe races: each of its clients
// may send one a second. Rounds and samples are few for the same reason; the probe
// runs at every start.
const racers = 3

// prober is one probe of an arbiter.
type prober struct {
	*Arbiter

	mu     sync.Mutex
	opened []*Arbiter
}

// open returns an arbiter with the same credentials and connections of its own.
func (p *prober) open(ctx context.Context) (core.Arbiter, error) {
	sibling, err := assemble(ctx, p.config, p.credentials)
	if err != nil {
		return nil, err
	}
	sibling.pace.interval = p.pace.interval
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = append(p.opened, sibling)
	return sibling, nil
}

// requests returns what the probe's own clients have sent.
func (p *prober) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, a := range p.opened {
		n += int(a.Requests())
	}
	return n
}

// forget removes a key of the probe.
func (p *prober) forget(ctx context.Context, key string) error {
	name, err := p.object(key)
	if err != nil {
		return err
	}
	err = p.bucket.Object(name).Delete(ctx)
	if errors.Is(err, storage.ErrObjectNotExist) {
		return nil
	}
	return err
}

// bucketFindings tells what of the bucket's setting matters to a record that is
// replaced for years.
func (a *Arbiter) bucketFindings(ctx context.Context) []core.Finding {
	ctx, cancel := context.WithTimeout(lookingUpBucket(ctx), a.config.RequestTimeout)
	defer cancel()
	attrs, err := a.bucket.Attrs(ctx)
	if err != nil {
		d := a.diagnose(err)
		return []core.Finding{{
			Check: "bucket", Why: "A bucket may keep what is replaced, or forbid to replace it.",
			Verdict:  core.Noted,
			Observed: "how the bucket is set up cannot be looked up: " + d.answer,
			Advice:   "grant storage.buckets.get for the probe if you want to know; an election does not need it",
		}}
	}
	return []core.Finding{versioningFinding(attrs), retentionFinding(attrs)}
}

// versioningFinding tells of buckets that keep every replaced record.
func versioningFinding(attrs *storage.BucketAttrs) core.Finding {
	f := core.Finding{
		Check: "kept-versions", Why: "A bucket that keeps replaced objects keeps one for every renewal.",
		Verdict: core.Passed, Observed: "replaced records are not kept",
	}
	soft := attrs.SoftDeletePolicy
	switch {
	case attrs.VersioningEnabled:
		f.Verdict, f.Observed = core.Noted, "object versioning is on"
		f.Advice = "add a lifecycle rule that deletes noncurrent versions, with numNewerVersions = 3 for this prefix"
	case soft != nil && soft.RetentionDuration > 0:
		f.Verdict, f.Observed = core.Noted, fmt.Sprintf("soft delete keeps replaced records for %v", soft.RetentionDuration)
		f.Advice = "turn soft delete off for this bucket; its records are worth nothing once they are replaced"
	}
	return f
}

// retentionFinding tells of buckets that forbid to replace a record.
func retentionFinding(attrs *storage.BucketAttrs) core.Finding {
	f := core.Finding{
		Check: "retention", Why: "A record that must not be replaced can be neither renewed nor taken over.",
		Verdict: core.Passed, Observed: "records may be replaced at any time",
	}
	if policy := attrs.RetentionPolicy; policy != nil && policy.RetentionPeriod > 0 {
		f.Verdict, f.Observed = core.Refused, fmt.Sprintf("a retention policy keeps every object for %v", policy.RetentionPeriod.Round(time.Second))
		f.Advice = "use a bucket without a retention policy"
	}
	return f
}

// transportFinding warns where requests and answers can be read and forged.
func (a *Arbiter) transportFinding() core.Finding {
	f := core.Finding{
		Check: "transport", Why: "Whoever can forge the store's answers decides who leads.",
		Verdict: core.Passed, Observed: "TLS, with credentials",
	}
	if !a.config.anonymous() {
		return f
	}
	u, err := url.Parse(a.config.Endpoint)
	if err != nil {
		return f
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() || u.Hostname() == "localhost" {
		f.Observed = "plain HTTP without credentials, on loopback"
		return f
	}
	f.Verdict, f.Observed = core.Warned, "plain HTTP without credentials to "+u.Host
	f.Advice = "use it for tests only; an https:// endpoint is asked with credentials"
	return f
}
