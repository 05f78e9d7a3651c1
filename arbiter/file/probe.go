package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/electd/electd/arbiter/probe"
	"github.com/electd/electd/core"
)

var _ core.Prober = (*Arbiter)(nil)

// Probe examines the directory: whether writes exclude each other under
// concurrency, and what it lies on. It writes only keys that begin with the given
// one and removes them. The error is that of a wrong key or of ctx.
func (a *Arbiter) Probe(ctx context.Context, key string) (core.ProbeReport, error) {
	if _, err := fileName(key); err != nil {
		return core.ProbeReport{}, err
	}
	report := probe.Semantics(ctx, probe.Subject{
		Open: func(ctx context.Context) (core.Arbiter, error) {
			return New(ctx, Config{Dir: a.dir, Timeout: a.timeout})
		},
		Key:        key,
		Forget:     a.forget,
		Resolution: time.Millisecond,
	})
	report.Store = "directory " + a.dir
	report.Findings = append(report.Findings, a.placeFinding())
	return report, ctx.Err()
}

// forget removes a record of the probe with what accompanies it.
func (a *Arbiter) forget(_ context.Context, key string) error {
	name, err := fileName(key)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"", lockSuffix, newSuffix} {
		if err := os.RemoveAll(filepath.Join(a.dir, name+suffix)); err != nil {
			return err
		}
	}
	return nil
}

// placeFinding tells what kind of file system holds the directory.
func (a *Arbiter) placeFinding() core.Finding {
	f := core.Finding{
		Check: "file-system", Why: "Locks of a network file system do not keep two writers apart when its server is lost.",
		Verdict: core.Passed,
	}
	kind, local, err := fileSystem(nearest(a.dir))
	switch {
	case err != nil:
		f.Verdict, f.Observed = core.Unreachable, err.Error()
	case !local:
		f.Verdict, f.Observed, f.Advice = core.Refused, "it is on "+kind, "use a directory on a disk of this machine"
	case kind == inMemory:
		f.Verdict, f.Observed = core.Warned, "it is in memory and gone after a restart of the machine"
		f.Why = "A record that is lost takes the highest epoch with it: what was fenced before could be believed again."
		f.Advice = "use a directory on a disk, so that epochs go on rising"
	default:
		f.Observed = fmt.Sprintf("it is on a file system of this machine (%s)", kind)
	}
	return f
}
