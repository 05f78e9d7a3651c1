package s3

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"
)

// flight follows one request: whether any of its bytes may have left. Until a
// connection is there, none has; from then on nobody can tell.
type flight struct {
	left atomic.Bool
}

// follow returns a context whose one request is followed.
//
// net/http goes back for another connection only if it wrote nothing at all on
// the first one (a PUT is not repeatable), hence GetConn clears what GotConn set.
func follow(ctx context.Context) (context.Context, *flight) {
	f := &flight{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { f.left.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { f.left.Store(true) },
	}), f
}
