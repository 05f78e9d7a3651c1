// Package gcs is the arbiter on Google Cloud Storage: an object is created by the
// condition that it does not exist and swapped by the condition on its generation,
// both as one upload in one request (design 6).
//
// It never repeats a request by itself. Whether a write may have happened is said
// with the codes of core/arbiter.go and found out by the core.
package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/storage"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/core"
)

// maxRecord is the largest record an arbiter must carry (design 3.2).
const maxRecord = 64 << 10

// Arbiter keeps records in a bucket. It is safe for concurrent use.
type Arbiter struct {
	config      Config
	credentials *auth.Credentials // nil: requests carry none
	client      *storage.Client
	bucket      *storage.BucketHandle
	wire        *wire
	pace        *pace
	keeper      *keeper

	closing context.Context // ends with Close
	close   func()
}

var _ core.Arbiter = (*Arbiter)(nil)

// New makes an arbiter of c. It asks nothing of the store; a wrong value is
// reported as a *core.AttributeError.
func New(ctx context.Context, c Config) (*Arbiter, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	found, err := findCredentials(c)
	if err != nil {
		return nil, err
	}
	return assemble(ctx, c, found)
}

// assemble makes an arbiter of a checked configuration and its credentials.
func assemble(ctx context.Context, c Config, found *auth.Credentials) (*Arbiter, error) {
	a := &Arbiter{config: c, credentials: found, wire: newWire(c.ConnectTimeout), pace: newPace()}
	client, err := newClient(ctx, c, a.wire, found)
	if err != nil {
		return nil, &core.AttributeError{Attribute: "endpoint", Problem: "makes no client", Err: err}
	}
	a.client, a.bucket = client, client.Bucket(c.Bucket)
	a.keeper = keep(c, found)
	closing, end := context.WithCancel(context.Background())
	a.closing = closing
	a.close = sync.OnceFunc(func() {
		end()
		a.keeper.close()
		_ = a.client.Close() // over HTTP it has nothing that could fail
		a.wire.Close()
	})
	return a, nil
}

// Close ends the calls under way and drops the connections.
func (a *Arbiter) Close() error {
	a.close()
	return nil
}

// Requests returns how many requests were sent to the store.
func (a *Arbiter) Requests() int64 { return a.wire.Requests() }

// bounded returns a context that ends with ctx, with the configured timeout and
// with Close, whichever is first, and the flight of the one request made with it.
func (a *Arbiter) bounded(ctx context.Context) (context.Context, *httpstore.Flight, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, a.config.RequestTimeout)
	stop := context.AfterFunc(a.closing, cancel)
	ctx, f := httpstore.Follow(ctx)
	return ctx, f, func() {
		stop()
		cancel()
	}
}

// Read returns the record stored under key: one request, whose answer carries
// body and generation together.
func (a *Arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	name, err := a.object(key)
	if err != nil {
		return core.Snapshot{}, err
	}
	ctx, flight, done := a.bounded(ctx)
	defer done()
	if err := a.over(ctx, "reading", name); err != nil {
		return core.Snapshot{}, err
	}
	r, err := a.bucket.Object(name).NewReader(ctx)
	if absent(err) {
		return core.Snapshot{StoreTime: flight.StoreTime()}, nil
	}
	if err != nil {
		return core.Snapshot{}, a.readFailure(name, err)
	}
	defer r.Close()
	record, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	if err != nil {
		return core.Snapshot{}, a.readFailure(name, err)
	}
	if len(record) > maxRecord {
		return core.Snapshot{}, a.failure("reading", name, diagnosis{core.ErrCorrupt, "the object is larger than 64 KiB", "something else writes this key"}, nil)
	}
	if r.Attrs.Generation <= 0 {
		return core.Snapshot{}, a.failure("reading", name, noGeneration(core.ErrInvalid), nil)
	}
	date := flight.StoreTime()
	return core.Snapshot{
		Version:   version(r.Attrs.Generation),
		Record:    record,
		Age:       httpstore.Age(date, r.Attrs.LastModified, a.config.ClockSkew),
		StoreTime: date,
	}, nil
}

// CompareAndSwap stores swap.Record with one upload. The time until the store
// bears another write to the object counts as part of the call.
func (a *Arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	name, err := a.object(swap.Key)
	if err != nil {
		return "", err
	}
	if len(swap.Record) > maxRecord {
		return "", a.failure("writing", name, diagnosis{core.ErrInvalid, fmt.Sprintf("the record has %d bytes", len(swap.Record)), "at most 64 KiB are stored"}, nil)
	}
	condition, err := conditionOf(swap.Expected)
	if err != nil {
		return "", a.failure("writing", name, diagnosis{core.ErrInvalid, err.Error(), "another kind of arbiter gave it"}, nil)
	}
	ctx, flight, done := a.bounded(ctx)
	defer done()
	if err := a.over(ctx, "writing", name); err != nil {
		return "", err
	}
	if err := a.pace.wait(ctx, name); err != nil {
		return "", a.failure("writing", name, diagnosis{core.ErrThrottled, "an object bears one write a second, and the deadline is sooner", ""}, err)
	}
	generation, err := a.upload(ctx, a.bucket.Object(name).If(condition), swap.Record)
	switch {
	case err != nil && swap.Expected == "" && answersAbsence(err):
		return "", a.failure("writing", name, a.noPlace(err), err)
	case err != nil:
		return "", a.writeFailure(name, flight.MayHaveLeft(), err)
	}
	if generation <= 0 {
		return "", a.failure("writing", name, noGeneration(core.ErrUnknown), nil)
	}
	return version(generation), nil
}

// chunkSize is above every record, so that an upload is one request, and small:
// the SDK allocates so much for each. With zero, it would insist on a checksum in
// the answer, which not every emulator gives.
const chunkSize = 256 << 10

// upload stores record and returns its generation.
func (a *Arbiter) upload(ctx context.Context, object *storage.ObjectHandle, record []byte) (int64, error) {
	w := object.NewWriter(ctx)
	w.ChunkSize = chunkSize
	w.ContentType = "application/json"
	w.CacheControl = "no-store" // an object open to the public would be cached for an hour
	_, err := w.Write(record)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, err
	}
	return w.Attrs().Generation, nil
}

// over returns why a call cannot begin any more, or nil.
func (a *Arbiter) over(ctx context.Context, doing, name string) error {
	switch {
	case a.closing.Err() != nil:
		return a.failure(doing, name, diagnosis{core.ErrUnavailable, "the arbiter is closed", ""}, nil)
	case ctx.Err() != nil:
		return a.failure(doing, name, diagnosis{core.ErrUnavailable, "no time was left to send it", ""}, ctx.Err())
	}
	return nil
}

// conditionOf turns the version that is expected into the store's condition.
// Metageneration plays no part: writes do not change it.
func conditionOf(expected core.Version) (storage.Conditions, error) {
	if expected == "" {
		return storage.Conditions{DoesNotExist: true}, nil
	}
	generation, err := strconv.ParseInt(string(expected), 10, 64)
	if err != nil || generation <= 0 {
		return storage.Conditions{}, fmt.Errorf("version %q is no generation", expected)
	}
	return storage.Conditions{GenerationMatch: generation}, nil
}

// version names a generation.
func version(generation int64) core.Version {
	return core.Version(strconv.FormatInt(generation, 10))
}

// object is the name under which key is stored.
func (a *Arbiter) object(key string) (string, error) {
	name := strings.TrimPrefix(a.config.Prefix+"/"+key, "/")
	if key == "" || len(name) > 1024 || strings.ContainsFunc(key, isControl) || !utf8.ValidString(key) {
		return "", a.failure("use of key", fmt.Sprintf("%q", key), diagnosis{core.ErrInvalid, "it is empty, too long or has control characters", "use a shorter prefix or election name"}, nil)
	}
	return name, nil
}
