package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/electd/electd/core"
)

// Read returns the record stored under key. It takes no lock: a rename replaces
// the whole file at once. Age is by the machine's own uninterrupted clock and
// StoreTime is its wall clock.
func (a *Arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	name, err := fileName(key)
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("reading the record: %w", err)
	}
	path := filepath.Join(a.dir, name)
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return core.Snapshot{}, fmt.Errorf("reading %s: %w", path, classed(err))
	}

	type answer struct {
		snapshot core.Snapshot
		err      error
	}
	answers := make(chan answer, 1)
	if !a.start(func() {
		if a.between != nil {
			a.between("read")
		}
		s, err := load(path)
		answers <- answer{s, err}
	}) {
		return core.Snapshot{}, errClosed
	}
	select {
	case got := <-answers:
		return got.snapshot, got.err
	case <-ctx.Done():
		return core.Snapshot{}, fmt.Errorf("reading %s: the disk does not answer: %w", path, classed(ctx.Err()))
	}
}

// load reads the file at path, which is a record's.
func load(path string) (core.Snapshot, error) {
	now := time.Now()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return core.Snapshot{StoreTime: now}, nil
	}
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("reading the record: %w", classed(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("reading the record: %w", classed(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxRecord {
		return core.Snapshot{}, fmt.Errorf("%w: %s is no record (%s, %d bytes): move it away",
			core.ErrCorrupt, path, info.Mode(), info.Size())
	}
	record, err := io.ReadAll(f)
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("reading the record: %w", classed(err))
	}
	return core.Snapshot{
		Version:   versionOf(record),
		Record:    record,
		Age:       age(f, now.Sub(info.ModTime())),
		StoreTime: now,
	}, nil
}

// versionOf names a record by its bytes. The core never writes equal bytes twice.
func versionOf(record []byte) core.Version {
	sum := sha256.Sum256(record)
	return core.Version(hex.EncodeToString(sum[:16]))
}
