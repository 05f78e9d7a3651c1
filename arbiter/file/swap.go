package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/electd/electd/core"
)

// CompareAndSwap stores swap.Record iff the stored version is still
// swap.Expected. Whatever fails before the rename was certainly not applied;
// a failure after it is core.ErrUnknown.
func (a *Arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	name, err := fileName(swap.Key)
	if err != nil {
		return "", fmt.Errorf("writing the record: %w", err)
	}
	if len(swap.Record) > maxRecord {
		return "", fmt.Errorf("writing the record %s: %w: it has %d bytes, and %d are possible",
			swap.Key, core.ErrInvalid, len(swap.Record), maxRecord)
	}
	w := &write{
		dir: a.dir, path: filepath.Join(a.dir, name),
		expected: swap.Expected, record: swap.Record, between: a.between,
	}
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("writing %s: %w", w.path, classed(err))
	}

	// The disk may hang for longer than the caller can wait. Who gives up first
	// takes the write's decision away from the other side, so that "not applied"
	// is said only of a write that will never be.
	done := make(chan error, 1)
	if !a.start(func() { done <- w.run(ctx) }) {
		return "", errClosed
	}
	select {
	case err = <-done:
	case <-ctx.Done():
		if w.giveUp() {
			err = fmt.Errorf("gave up, the record is untouched: %w", classed(ctx.Err()))
			break
		}
		select {
		case err = <-done:
		default:
			err = fmt.Errorf("%w: the disk did not finish in time: %w", core.ErrUnknown, ctx.Err())
		}
	}
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", w.path, err)
	}
	return versionOf(swap.Record), nil
}

// write is one attempt to replace a record.
type write struct {
	dir, path string
	expected  core.Version
	record    []byte
	between   func(step string)

	decided atomic.Bool // the rename goes ahead, or never will
}

// giveUp reports whether the write will now never be applied.
func (w *write) giveUp() bool { return w.decided.CompareAndSwap(false, true) }

// commit reports whether the rename may go ahead.
func (w *write) commit() bool { return w.decided.CompareAndSwap(false, true) }

// step marks the place between two system calls.
func (w *write) step(next string) {
	if w.between != nil {
		w.between(next)
	}
}

// run makes the attempt under the record's lock. What has no chance is told
// before, so that it neither waits for the lock nor leaves a lock file behind.
func (w *write) run(ctx context.Context) error {
	w.step("look")
	if err := w.compare(); err != nil {
		return err
	}
	w.step("mkdir")
	if err := ensureDir(w.dir); err != nil {
		return classed(err)
	}
	// The directory may have been mounted over since New.
	if err := checkLocal(w.dir); err != nil {
		return fmt.Errorf("%w: %w", core.ErrInvalid, err)
	}
	w.step("lock")
	unlock, err := lock(ctx, w.path+lockSuffix, w.compare)
	if err != nil {
		return err
	}
	defer unlock()
	w.step("compare")
	if err := w.compare(); err != nil {
		return err
	}
	f, err := w.prepare()
	if err != nil {
		return classed(err)
	}
	defer f.Close()
	return w.replace(f)
}

// compare fails unless the stored version is the expected one.
func (w *write) compare() error {
	current, err := load(w.path)
	if err != nil {
		return err
	}
	if current.Version != w.expected {
		return fmt.Errorf("%w: version %q is stored, and %q was expected", core.ErrConflict, current.Version, w.expected)
	}
	return nil
}

// prepare makes the new record durable beside the old one. Its name is fixed, so
// a writer that was killed leaves one file, and the next removes it.
func (w *write) prepare() (*os.File, error) {
	w.step("unlink")
	path := w.path + newSuffix
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	w.step("create")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	w.step("write")
	if _, err := f.Write(w.record); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	w.step("fsync")
	if err := f.Sync(); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// replace puts the new record, open as f, in the old one's place.
func (w *write) replace(f *os.File) error {
	w.step("rename")
	if !w.commit() {
		return errors.Join(fmt.Errorf("%w: given up", core.ErrUnavailable), os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), w.path); err != nil {
		return refusedRename(err)
	}
	w.step("stamp")
	stamp(f)
	w.step("fsync directory")
	if err := syncDir(w.dir); err != nil {
		return fmt.Errorf("%w: the record is replaced, perhaps not durably: %w", core.ErrUnknown, err)
	}
	w.step("unlock")
	return nil
}
