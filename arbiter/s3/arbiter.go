// Package s3 is the arbiter on an object store with S3's conditional writes:
// create by If-None-Match: *, swap by If-Match, both as one PutObject.
//
// It never repeats a request by itself. Whether a write may have happened is
// said with the codes of core/arbiter.go and found out by the core.
package s3

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/electd/electd/arbiter/internal/httpstore"
	"github.com/electd/electd/core"
)

// maxRecord is the largest record an arbiter must carry (design 3.2).
const maxRecord = 64 << 10

// Arbiter keeps records in a bucket. It is safe for concurrent use.
type Arbiter struct {
	config   Config
	region   string
	endpoint string // as it is in force, "" for Amazon's own
	host     *url.URL
	roots    *x509.CertPool
	client   *awss3.Client
	wire     *httpstore.Wire
	keeper   *keeper
	form     *formLearner
	digests  *digests
	borrowed bool // client and keeper are another arbiter's; only wire is its own

	closing sync.Once
	closed  atomic.Bool
}

var _ core.Arbiter = (*Arbiter)(nil)

// New makes an arbiter of c. It asks nothing of the store; a wrong value is
// reported as a *core.AttributeError.
func New(ctx context.Context, c Config) (*Arbiter, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	roots, err := loadRoots(c)
	if err != nil {
		return nil, err
	}
	shared, err := loadShared(ctx, c)
	if err != nil {
		return nil, err
	}
	provider, err := chooseProvider(c, shared)
	if err != nil {
		return nil, err
	}

	a := &Arbiter{config: c, roots: roots, form: newFormLearner(c.ETag), digests: &digests{}, wire: httpstore.NewWire(roots, c.ConnectTimeout)}
	a.client = newClient(c, shared, a.wire)
	a.region = a.client.Options().Region
	a.endpoint = aws.ToString(a.client.Options().BaseEndpoint)
	if a.host, err = a.findHost(ctx); err != nil {
		return nil, err
	}
	a.keeper = keep(provider, usualPace)
	a.client = awss3.New(a.client.Options(), func(o *awss3.Options) { o.Credentials = a.keeper })
	return a, nil
}

// Close drops the connections and stops renewing credentials.
func (a *Arbiter) Close() error {
	a.closing.Do(func() {
		a.closed.Store(true)
		if !a.borrowed {
			a.keeper.close()
		}
		a.wire.Close()
	})
	return nil
}

// Requests returns how many requests were sent to the store.
func (a *Arbiter) Requests() int64 { return a.wire.Requests() }

// Read returns the record stored under key.
func (a *Arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	name, err := a.object(key)
	if err != nil {
		return core.Snapshot{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.config.RequestTimeout)
	defer cancel()
	return a.digests.whole(ctx, func() (core.Snapshot, error) { return a.get(ctx, name) })
}

// get is one GetObject.
func (a *Arbiter) get(ctx context.Context, name string) (core.Snapshot, error) {
	refusals := a.form.refusals()
	out, err := a.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &a.config.Bucket, Key: &name}, a.onOwnWire)
	if absent(err) {
		return core.Snapshot{StoreTime: dateOf(err)}, nil
	}
	if err != nil {
		a.note(err)
		return core.Snapshot{}, a.readFailure(name, err)
	}
	defer out.Body.Close()
	record, err := io.ReadAll(io.LimitReader(out.Body, maxRecord+1))
	if err != nil {
		return core.Snapshot{}, a.readFailure(name, err)
	}
	if len(record) > maxRecord {
		return core.Snapshot{}, a.failure("GetObject", name, diagnosis{core.ErrCorrupt, "the object is larger than 64 KiB", "something else writes this key"}, nil)
	}
	v := version(aws.ToString(out.ETag))
	if v == "" {
		return core.Snapshot{}, a.failure("GetObject", name, noETag(aws.ToString(out.ETag), core.ErrInvalid), nil)
	}
	a.form.saw(name, v, refusals)
	date, _ := awsmiddleware.GetServerTime(out.ResultMetadata)
	return core.Snapshot{
		Version:   v,
		Record:    record,
		Age:       httpstore.Age(date, aws.ToTime(out.LastModified), a.config.ClockSkew),
		StoreTime: date,
	}, nil
}

// CompareAndSwap stores swap.Record with one PutObject.
func (a *Arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	name, err := a.object(swap.Key)
	if err != nil {
		return "", err
	}
	if len(swap.Record) > maxRecord {
		return "", a.failure("PutObject", name, diagnosis{core.ErrInvalid, fmt.Sprintf("the record has %d bytes", len(swap.Record)), "at most 64 KiB are stored"}, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, a.config.RequestTimeout)
	defer cancel()
	ctx, flight := httpstore.Follow(ctx)

	put, form := a.put(name, swap)
	out, err := a.client.PutObject(ctx, put, a.onOwnWire)
	if err != nil {
		a.note(err)
		err = a.writeFailure(name, flight.MayHaveLeft(), err)
		if swap.Expected != "" && errors.Is(err, core.ErrConflict) {
			a.form.wasRefused(form, name, swap.Expected)
		}
		return "", err
	}
	if swap.Expected != "" {
		a.form.succeeded(form)
	}
	v := version(aws.ToString(out.ETag))
	if v == "" {
		return "", a.failure("PutObject", name, noETag(aws.ToString(out.ETag), core.ErrUnknown), nil)
	}
	a.digests.fits(v, swap.Record)
	return v, nil
}

// onOwnWire sends a request of a borrowed client on this arbiter's connections.
func (a *Arbiter) onOwnWire(o *awss3.Options) {
	if a.borrowed {
		o.HTTPClient = httpClient(a.wire)
	}
}

// put makes the one request of a swap. Its condition is always set.
func (a *Arbiter) put(name string, swap core.Swap) (*awss3.PutObjectInput, form) {
	form, _ := a.form.current()
	put := &awss3.PutObjectInput{
		Bucket:               &a.config.Bucket,
		Key:                  &name,
		Body:                 bytes.NewReader(swap.Record),
		ContentLength:        aws.Int64(int64(len(swap.Record))),
		ContentType:          aws.String("application/json"),
		ServerSideEncryption: types.ServerSideEncryption(a.config.SSE),
	}
	if !isAmazon(a.endpoint) { // where the SDK adds no checksum; buckets with object lock demand one
		digest := md5.Sum(swap.Record)
		put.ContentMD5 = aws.String(base64.StdEncoding.EncodeToString(digest[:]))
	}
	if a.config.KMSKeyID != "" {
		put.SSEKMSKeyId = &a.config.KMSKeyID
	}
	if swap.Expected == "" {
		put.IfNoneMatch = aws.String("*")
	} else {
		put.IfMatch = aws.String(form.apply(swap.Expected))
	}
	return put, form
}

// object is the name under which key is stored. No request goes without one.
func (a *Arbiter) object(key string) (string, error) {
	name := strings.TrimPrefix(a.config.Prefix+"/"+key, "/")
	if a.closed.Load() {
		return "", a.failure("use", name, diagnosis{core.ErrUnavailable, "this arbiter was closed", ""}, nil)
	}
	if key == "" || len(name) > 1024 || strings.ContainsFunc(key, isControl) {
		return "", a.failure("use of key", fmt.Sprintf("%q", key), diagnosis{core.ErrInvalid, "it is empty, too long or has control characters", "use a shorter prefix or election name"}, nil)
	}
	return name, nil
}

// note reacts to a refusal of the credentials themselves: they may have been
// replaced at their source.
func (a *Arbiter) note(err error) {
	if d := a.diagnose(err); d.code == core.ErrDenied && errorCode(err) != "RequestTimeTooSkewed" && !isDenial(errorCode(err)) {
		a.keeper.refresh()
	}
}

// absent tells an answer that proves there is no object from every other 404.
func absent(err error) bool {
	var none *types.NoSuchKey
	return errors.As(err, &none)
}

// dateOf returns the store's date from an error that carries its answer.
func dateOf(err error) time.Time {
	date, _ := http.ParseTime(headerOf(err).Get("Date"))
	return date
}

func noETag(etag string, code error) diagnosis {
	answer := "the store answered without an ETag"
	if etag != "" {
		answer = fmt.Sprintf("the store answered with ETag %s, which is weak or empty", etag)
	}
	return diagnosis{code, answer, "without strong ETags it cannot be an arbiter; a proxy in between may strip or weaken them"}
}
