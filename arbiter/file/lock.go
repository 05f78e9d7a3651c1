package file

import (
	"context"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a held lock is tried again. flock(2) has no deadline.
const lockRetry = time.Millisecond

// lock takes the lock file at path, waiting until ctx ends. The kernel lets go
// of it when the process dies, and only once no child shares it: the library
// opens it close-on-exec.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	l := flock.New(path)
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("waiting for another writer to let go of %s: %w", path, classed(err))
		}
		return nil, fmt.Errorf("locking %s: %w", path, classed(err))
	}
	return func() { _ = l.Unlock() }, nil
}
