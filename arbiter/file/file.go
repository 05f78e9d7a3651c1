// Package file is the arbiter for one machine: a directory, one file a record.
//
// A write takes the record's lock, writes a new file beside the record, makes it
// durable and renames it over the record, so a reader sees the old record or the
// new one and nothing between, whenever a writer is killed. The version is a hash
// of the record's bytes. The directory must lie on a local file system: locks on a
// network file system come and go with its server (design 6).
package file

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// Config is the configuration of the arbiter "file".
type Config struct {
	Dir     string        `electd:"dir,required" doc:"Directory that holds the records, as an absolute path on a local file system. Created with mode 0700 by the first write if it is missing. Every node of the election is on this machine and names the same directory."`
	Timeout time.Duration `electd:"timeout" default:"5s" doc:"Longest time for one read or write, waiting for the lock included, where the caller sets none shorter."`
}

// defaultTimeout stands for a Config.Timeout of zero.
const defaultTimeout = 5 * time.Second

// maxRecord is what a record may measure, in bytes (design 3.2).
const maxRecord = 64 << 10

// Arbiter is a register with compare-and-swap on files. It implements
// core.Arbiter and core.Watcher.
type Arbiter struct {
	dir     string
	timeout time.Duration

	closing context.Context // ends with Close
	close   context.CancelFunc
	mu      sync.Mutex // orders running.Add before Close's running.Wait
	running sync.WaitGroup

	// between is called between any two system calls of a write, and before a read,
	// with the name of the one to come. Tests kill the process there, or let the
	// disk hang. Nil otherwise.
	between func(step string)
}

// New checks c and returns the arbiter. It neither makes the directory nor needs
// it to be there. A wrong attribute is a *core.AttributeError.
func New(_ context.Context, c Config) (*Arbiter, error) {
	if c.Timeout < 0 {
		return nil, &core.AttributeError{
			Attribute: "timeout", Problem: "is negative",
			Advice: "leave it out for " + defaultTimeout.String(),
		}
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, err
	}
	closing, end := context.WithCancel(context.Background())
	return &Arbiter{
		dir:     filepath.Clean(c.Dir),
		timeout: c.Timeout,
		closing: closing,
		close:   end,
	}, nil
}

// Close ends every watch and every call that still waits for a lock, and waits
// for the disk to finish what is under way, at most the configured timeout.
func (a *Arbiter) Close() error {
	a.mu.Lock()
	a.close()
	a.mu.Unlock()
	over := make(chan struct{})
	go func() {
		a.running.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(a.timeout):
	}
	return nil
}

// start runs f on a goroutine that Close waits for. It reports whether the
// arbiter was still open.
func (a *Arbiter) start(f func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing.Err() != nil {
		return false
	}
	a.running.Go(f)
	return true
}

// bounded returns a context that ends with ctx, with the configured timeout and
// with Close, whichever is first.
func (a *Arbiter) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	stop := context.AfterFunc(a.closing, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}
