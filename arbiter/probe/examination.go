package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/electd/electd/core"
)

// examination is one run of the checks.
type examination struct {
	Subject
	id       string // of this run; every body carries it
	clients  []core.Arbiter
	requests atomic.Int64
	serial   atomic.Int64 // of the bodies
	applied  atomic.Bool  // some write was
	clock    window

	key       string // that is written
	missing   string // that is not
	strayed   bool   // missing was created all the same
	fresh     bool   // key does not exist yet
	forgets   bool   // keys can be removed, so they are this run's own
	lastWrite time.Time
	ages      ages

	reads, writes []time.Duration
	report        core.ProbeReport
}

// prepare chooses the keys. Where keys can be removed they are this run's own,
// so that two runs at once do not meet; elsewhere they are always the same, so
// that they do not pile up.
func (x *examination) prepare(ctx context.Context) error {
	x.key, x.missing = x.Key, x.Key+".missing"
	if x.Forget != nil {
		own := x.Key + "." + strings.ToLower(x.id)
		x.requests.Add(1)
		if x.Forget(ctx, own) == nil {
			x.forgets, x.key, x.missing = true, own, own+".missing"
		}
	}
	now, err := x.read(ctx, 0, x.key)
	if err != nil {
		return err
	}
	x.fresh = now.Version == ""
	return nil
}

// clean removes what this run wrote, where it can.
func (x *examination) clean(ctx context.Context) {
	if !x.forgets {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	x.forget(ctx, x.key)
	if x.strayed {
		x.forget(ctx, x.missing)
	}
}

func (x *examination) forget(ctx context.Context, key string) {
	x.requests.Add(1)
	_ = x.Forget(ctx, key)
}

func (x *examination) close() {
	for _, c := range x.clients {
		_ = c.Close()
	}
}

// body is what the probe writes; no two are the same.
type body struct {
	Probe  string `json:"electd_probe"` // the run
	Serial int64  `json:"serial"`
}

func (x *examination) nextBody() []byte {
	text, _ := json.Marshal(body{x.id, x.serial.Add(1)})
	return text
}

// mine tells whether a record was written by this run.
func (x *examination) mine(record []byte) bool {
	var b body
	return json.Unmarshal(record, &b) == nil && b.Probe == x.id || strings.Contains(string(record), x.id)
}

// foreignError says that someone else writes the probe's key: what is observed
// proves nothing.
type foreignError struct{ record string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("someone else writes the same key; it now holds %.80q", e.record)
}

// read reads with one client and learns about the clocks.
func (x *examination) read(ctx context.Context, client int, key string) (core.Snapshot, error) {
	x.requests.Add(1)
	sent := time.Now()
	s, err := x.clients[client].Read(ctx, key)
	if err == nil && x.Resolution > 0 && !s.StoreTime.IsZero() {
		x.clock.saw(sent, time.Now(), s.StoreTime, x.Resolution)
	}
	if err == nil {
		x.ages.saw(s, time.Now())
	}
	return s, err
}

// readMine reads what this run wrote last. Another run's record there is an
// error, its absence is not.
func (x *examination) readMine(ctx context.Context, client int) (core.Snapshot, error) {
	s, err := x.read(ctx, client, x.key)
	if err == nil && s.Version != "" && !x.mine(s.Record) {
		return s, &foreignError{string(s.Record)}
	}
	return s, err
}

// swap sends one write, after the pause that the store wants.
func (x *examination) swap(ctx context.Context, client int, key string, expected core.Version, record []byte) (core.Version, error) {
	if err := x.pause(ctx); err != nil {
		return "", err
	}
	defer func() { x.lastWrite = time.Now() }()
	return x.send(ctx, client, key, expected, record)
}

func (x *examination) send(ctx context.Context, client int, key string, expected core.Version, record []byte) (core.Version, error) {
	x.requests.Add(1)
	x.ages.begin(record, time.Now())
	v, err := x.clients[client].CompareAndSwap(ctx, core.Swap{Key: key, Expected: expected, Record: record, Intent: core.Renew})
	if core.WriteOutcome(err) == core.Applied {
		x.applied.Store(true)
	}
	return v, err
}

func (x *examination) pause(ctx context.Context) error {
	return sleep(ctx, time.Until(x.lastWrite.Add(x.Pause)))
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// patience is how often a write that should apply is tried when the store asks
// for fewer requests or leaves the outcome open.
const patience = 5

// write stores a record that should be accepted and returns its version. An
// outcome left open is looked up. The error of a conflict is errNotApplied: on a
// key nobody else writes it is an observation.
func (x *examination) write(ctx context.Context, client int, expected core.Version, record []byte) (core.Version, error) {
	var err error
	for range patience {
		var v core.Version
		v, err = x.swap(ctx, client, x.key, expected, record)
		switch core.WriteOutcome(err) {
		case core.Applied:
			return v, nil
		case core.Throttled:
			if err := sleep(ctx, max(time.Second, x.Pause)); err != nil {
				return "", err
			}
			continue
		case core.Conflict, core.Unknown:
		default:
			return "", err
		}
		now, readErr := x.readMine(ctx, client)
		switch {
		case readErr != nil:
			return "", readErr
		case string(now.Record) == string(record):
			return now.Version, nil
		case now.Version != expected:
			return "", fmt.Errorf("%w: %w", errNotApplied, err)
		}
	}
	return "", fmt.Errorf("%w %d times: %w", errNotApplied, patience, err)
}

var errNotApplied = errors.New("a write on the present version was not applied")

// tryForbidden sends a write that must be refused and tells whether it was
// applied all the same. said is what the store answered.
func (x *examination) tryForbidden(ctx context.Context, client int, key string, expected core.Version) (applied bool, said error, err error) {
	record := x.nextBody()
	for range patience {
		_, said = x.swap(ctx, client, key, expected, record)
		switch core.WriteOutcome(said) {
		case core.Applied:
			return true, nil, nil
		case core.Throttled:
			if err := sleep(ctx, max(time.Second, x.Pause)); err != nil {
				return false, nil, err
			}
			continue
		case core.Conflict, core.Unknown: // both are looked up: "refused" may come after the deed
			now, err := x.read(ctx, client, key)
			return err == nil && string(now.Record) == string(record), said, err
		}
		return false, said, said
	}
	return false, said, said
}
