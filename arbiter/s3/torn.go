package s3

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/electd/electd/core"
)

// tornPauses are the waits before a suspicious read is repeated. Some servers
// keep body and ETag in two places; between the two a read pairs the new body
// with the old ETag.
var tornPauses = []time.Duration{5 * time.Millisecond, 20 * time.Millisecond}

// digests knows whether a store's ETags are digests of the bytes. Nothing is
// decided by that: a read that does not fit is only read again, and believed if
// it stays as it is (encrypted objects have other ETags).
type digests struct{ seen atomic.Bool }

// fits tells whether a record and its version belong together, as far as known.
func (d *digests) fits(v core.Version, record []byte) bool {
	sum := md5.Sum(record)
	if string(v) == hex.EncodeToString(sum[:]) {
		d.seen.Store(true)
		return true
	}
	return !d.seen.Load()
}

// whole reads with read until body and version fit, or until the same two were
// seen again after every pause.
func (d *digests) whole(ctx context.Context, read func() (core.Snapshot, error)) (core.Snapshot, error) {
	s, err := read()
	for _, pause := range tornPauses {
		if err != nil || s.Version == "" || d.fits(s.Version, s.Record) {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return s, nil
		}
		s, err = read()
	}
	if err == nil && s.Version != "" && !d.fits(s.Version, s.Record) {
		d.seen.Store(false) // until the next that fits, each read is a single one
	}
	return s, err
}
