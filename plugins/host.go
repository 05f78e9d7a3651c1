package plugins

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/electd/electd/core"
	pb "github.com/electd/electd/plugins/proto/electd/arbiter/v1"
)

// Host keeps one plugin running: it restarts one that crashed or hangs, with
// backoff and with the same configuration, and it can put a new one in the old
// one's place. Calls go to the instance that runs at the time; in a gap they
// are core.ErrUnavailable, since they were certainly not sent.
type Host struct {
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{} // the supervisor has ended

	reload sync.Mutex // one Configure or Reload at a time

	mu      sync.Mutex
	spec    Spec
	values  Values // nil: not configured
	info    Info
	schema  Schema
	can     Capabilities
	image   *image        // of the spec, as it was adopted
	current *instance     // nil in a gap
	gap     error         // why there is none
	starts  int           // how often a process was started
	swapped chan struct{} // closed and renewed when current is replaced from outside
}

// Status is a host's view of its plugin, for people and metrics.
type Status struct {
	Running bool
	PID     int       // of the running process
	Since   time.Time // its start
	Starts  int       // processes started so far
	Problem string    // why it is not running
}

// ErrClosed is what calls get after Close; it is core.ErrUnavailable too.
var ErrClosed = fmt.Errorf("the plugin's host was closed: %w", core.ErrUnavailable)

// struckAgain is how often a first start is tried again that a signal from outside
// ended: somebody's kill, or a machine short of memory, says nothing of the plugin.
const struckAgain = 3

// Launch starts the plugin and asks it for Info and Schema. It fails at once if
// the plugin cannot be started; only from then on is it kept running.
func Launch(ctx context.Context, spec Spec) (*Host, error) {
	spec, err := spec.complete()
	if err != nil {
		return nil, fmt.Errorf("plugin %q: %w", spec.Name, err)
	}
	img, err := spec.image()
	if err != nil {
		return nil, fmt.Errorf("plugin %q: %w", spec.Name, err)
	}
	first, err := start(ctx, spec, img)
	for again := 0; again < struckAgain && errors.Is(err, errStruck) && ctx.Err() == nil; again++ {
		spec.Log.Warn("the plugin was killed while it started; starting it again", "plugin", spec.Name, "error", err)
		first, err = start(ctx, spec, img)
	}
	if err != nil {
		img.close()
		return nil, fmt.Errorf("plugin %q: %w", spec.Name, err)
	}
	h := &Host{
		spec:    spec,
		image:   img,
		info:    first.info,
		schema:  first.schema,
		current: first,
		starts:  1,
		done:    make(chan struct{}),
		swapped: make(chan struct{}),
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	go h.supervise()
	return h, nil
}

// Info returns what the plugin says of itself.
func (h *Host) Info() Info {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.info
}

// Schema returns the schema of the plugin's configuration.
func (h *Host) Schema() Schema {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.schema
}

// Capabilities returns what the configured arbiter can do.
func (h *Host) Capabilities() Capabilities {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.can
}

// Status returns how the plugin is.
func (h *Host) Status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Status{Starts: h.starts}
	if h.current == nil {
		s.Problem = h.gap.Error()
		return s
	}
	s.Running, s.PID, s.Since = true, h.current.process.cmd.Process.Pid, h.current.since
	return s
}

// Configure hands over the attributes and opens the arbiter. The error joins a
// *core.AttributeError for every attribute that is wrong; Configure may then be
// called again. After a success, only Reload changes the configuration.
func (h *Host) Configure(ctx context.Context, values Values) error {
	h.reload.Lock()
	defer h.reload.Unlock()
	i, err := h.use()
	if err != nil {
		return err
	}
	defer i.calls.Done()
	if h.configured() {
		return fmt.Errorf("plugin %q is configured already: %w", i.spec.Name, core.ErrInvalid)
	}
	if err := i.configure(ctx, values); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != i { // it failed meanwhile; its successor knows nothing of this
		return fmt.Errorf("%w: plugin %q failed just after it was configured", core.ErrUnavailable, i.spec.Name)
	}
	if values == nil {
		values = Values{}
	}
	h.values, h.can = values, i.can
	return nil
}

func (h *Host) configured() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.values != nil
}

// Reload starts a plugin by spec, configures it with values, and only then lets
// it take the place of the one that runs; calls in flight are answered by the
// old one. After an error nothing has changed. Arbiter's capabilities must not
// shrink: whoever holds it may count on them.
func (h *Host) Reload(ctx context.Context, spec Spec, values Values) error {
	h.reload.Lock()
	defer h.reload.Unlock()
	spec, err := spec.complete()
	if err != nil {
		return fmt.Errorf("plugin %q: %w", spec.Name, err)
	}
	img, err := spec.image()
	if err != nil {
		return fmt.Errorf("plugin %q: %w", spec.Name, err)
	}
	if err := h.replace(ctx, spec, img, values); err != nil {
		img.close()
		return err
	}
	return nil
}

// replace puts a start of the image in the place of what runs.
func (h *Host) replace(ctx context.Context, spec Spec, img *image, values Values) error {
	next, err := start(ctx, spec, img)
	if err != nil {
		return fmt.Errorf("plugin %q: %w", spec.Name, err)
	}
	if values == nil {
		values = Values{}
	}
	err = next.configure(ctx, values)
	if err == nil {
		err = h.keeps(next.can)
	}
	if err != nil {
		next.stop()
		return err
	}
	h.mu.Lock()
	if h.ctx.Err() != nil {
		h.mu.Unlock()
		next.stop()
		return ErrClosed
	}
	old, outdated := h.current, h.image
	h.spec, h.image, h.values = spec, img, values
	h.adopt(next)
	close(h.swapped)
	h.swapped = make(chan struct{})
	h.mu.Unlock()
	outdated.close()
	if old != nil {
		old.drain()
	}
	return nil
}

// tighter says whether limits leave less room than those that the elections run
// on: fewer writes, or no whole lease record.
func tighter(can, old Capabilities) bool {
	whole := func(c Capabilities) bool { return c.MaxRecordBytes == 0 || c.MaxRecordBytes >= core.MaxRecordBytes }
	return can.MinWriteInterval > old.MinWriteInterval || whole(old) && !whole(can)
}

func (h *Host) keeps(can Capabilities) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.can.Watch && !can.Watch || h.can.Probe && !can.Probe || tighter(can, h.can) {
		return errors.New("the new plugin can do less than the old one; restart electd instead")
	}
	return nil
}

// adopt makes an instance the current one. The caller holds mu.
func (h *Host) adopt(i *instance) {
	h.current, h.gap = i, nil
	h.info, h.schema, h.can = i.info, i.schema, i.can
	h.starts++
}

// Close ends the plugin and waits until its process is gone and nothing of it
// is left. A second Close does nothing.
func (h *Host) Close() error {
	h.cancel()
	<-h.done
	h.mu.Lock()
	left := h.current // what a Reload put there while the supervisor ended
	h.current, h.gap = nil, ErrClosed
	h.image.close()
	h.image = nil
	h.mu.Unlock()
	if left != nil {
		left.stop()
	}
	return nil
}

// use returns the instance that calls go to now. The caller calls Done on its
// calls afterwards.
func (h *Host) use() (*instance, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ctx.Err() != nil:
		return nil, ErrClosed
	case h.current == nil:
		return nil, fmt.Errorf("%w: plugin %q is down and will be restarted: %v", core.ErrUnavailable, h.spec.Name, h.gap)
	case !h.current.ready():
		return nil, fmt.Errorf("%w: plugin %q has just failed and is restarted", core.ErrUnavailable, h.spec.Name)
	}
	h.current.calls.Add(1)
	return h.current, nil
}

// suspect has the instance checked now: a call to it met its deadline.
func (h *Host) suspect(i *instance) {
	i.calls.Add(1)
	go func() {
		defer i.calls.Done()
		i.check(h.ctx)
	}()
}

// Probe examines the store, if the capabilities say so; see core.Prober.
func (h *Host) Probe(ctx context.Context, key string) (core.ProbeReport, error) {
	i, err := h.use()
	if err != nil {
		return core.ProbeReport{}, err
	}
	defer i.calls.Done()
	ctx, cancel := bounded(ctx, i.spec.Timeouts.Probe)
	defer cancel()
	answer, err := i.plugin.Probe(ctx, &pb.ProbeRequest{Key: key})
	if err != nil {
		return core.ProbeReport{}, h.failedRead(i, err)
	}
	return probeFromWire(answer, i.secrets.hide), nil
}

// Report returns what the plugin knows of itself. It asks the store nothing. A
// plugin without this capability has nothing to tell: its report is empty.
func (h *Host) Report(ctx context.Context) (core.ArbiterReport, error) {
	i, err := h.use()
	if err != nil {
		return core.ArbiterReport{}, err
	}
	defer i.calls.Done()
	if !i.can.Report {
		return core.ArbiterReport{}, nil
	}
	ctx, cancel := bounded(ctx, i.spec.Timeouts.Call)
	defer cancel()
	answer, err := i.plugin.Report(ctx, &pb.ReportRequest{})
	if err != nil {
		return core.ArbiterReport{}, h.failedRead(i, err)
	}
	return reportFromWire(answer, i.secrets.hide), nil
}
