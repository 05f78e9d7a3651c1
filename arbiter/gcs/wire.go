package gcs

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/electd/electd/arbiter/internal/httpstore"
)

// wire carries requests for records, and none that the SDK makes beside them.
type wire struct{ *httpstore.Wire }

func newWire(connectTimeout time.Duration) *wire {
	return &wire{httpstore.NewWire(nil, connectTimeout)}
}

// errNotAsked keeps the SDK from what it does beside the request: it looks up the
// bucket for its traces, which costs a request and a permission.
var errNotAsked = errors.New("the arbiter asks for records only")

// RoundTrip sends one request, once.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, wanted := r.Context().Value(bucketKey{}).(bool); !wanted && !ofObject(r) {
		return nil, errNotAsked
	}
	return w.Wire.RoundTrip(r)
}

// ofObject reports whether a request is for an object, not for its bucket.
func ofObject(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/o/") || strings.HasSuffix(r.URL.Path, "/o")
}

type bucketKey struct{}

// lookingUpBucket returns a context whose requests may be for the bucket.
func lookingUpBucket(ctx context.Context) context.Context {
	return context.WithValue(ctx, bucketKey{}, true)
}
