package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"go.opentelemetry.io/otel/trace"

	"github.com/electd/electd/core"
)

// rootOf returns the root span of the failover that ends an epoch. The same on
// all nodes: SHA-256 of "electd", deployment, election and epoch, a line each; 16
// bytes of it for the trace and the next 8 for the span.
func rootOf(deployment, election string, ended core.Epoch) trace.SpanContext {
	sum := sha256.Sum256(fmt.Appendf(nil, "electd\n%s\n%s\n%d\n", deployment, election, ended))
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(sum[:16]), SpanID: trace.SpanID(sum[16:24]),
		TraceFlags: trace.FlagsSampled, Remote: true,
	})
}

// given is the key of the span context that a new root takes its ids from.
type given struct{}

// ids draws ids, but for a root whose ids are given.
type ids struct{}

// NewIDs implements the SDK's IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if root, ok := ctx.Value(given{}).(trace.SpanContext); ok {
		return root.TraceID(), root.SpanID()
	}
	var id trace.TraceID
	rand.Read(id[:])
	return id, ids{}.NewSpanID(ctx, id)
}

// NewSpanID implements the SDK's IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	rand.Read(id[:])
	return id
}
