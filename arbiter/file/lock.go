package file

import (
	"context"
	"fmt"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a held lock is tried again. flock(2) has no deadline.
const lockRetry = 2 * time.Millisecond

// lock takes the lock file at path. It waits until ctx ends, or until hopeless
// returns an error: why having the lock would be of no use any more. The kernel
// lets go of a lock when the process dies; the library opens the file
// close-on-exec, so no child shares it.
func lock(ctx context.Context, path string, hopeless func() error) (unlock func(), err error) {
	l := flock.New(path)
	retry := time.NewTicker(lockRetry)
	defer retry.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("waiting for another writer to let go of %s: %w", path, classed(err))
		}
		locked, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, classed(err))
		}
		if locked {
			return func() { _ = l.Unlock() }, nil
		}
		if err := hopeless(); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-retry.C:
		}
	}
}
