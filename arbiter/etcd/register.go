package etcd

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/electd/electd/core"
)

// Read returns the record stored under key. It is a linearizable read: a member
// that is cut off from the others cannot answer it. etcd keeps no time of its
// writes, so the age is unknown.
func (a *Arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	path, err := a.path(key)
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("read: %w", err)
	}
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	ctx, words := listening(ctx)
	answer, err := withToken(ctx, a, func() (*clientv3.GetResponse, error) {
		return a.client.Get(ctx, path)
	})
	if err != nil {
		return core.Snapshot{}, fmt.Errorf("read %s from %s: %w", path, a.where(), readCode(words.on(err)))
	}
	if len(answer.Kvs) == 0 {
		return core.Snapshot{}, nil
	}
	return snapshotOf(answer.Kvs[0]), nil
}

// CompareAndSwap stores the record iff the key's modification revision is still
// the expected one.
func (a *Arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	path, err := a.path(swap.Key)
	if err == nil && len(swap.Record) > maxRecord {
		err = fmt.Errorf("%w: the record has %d bytes, and %d are possible", core.ErrInvalid, len(swap.Record), maxRecord)
	}
	if err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	revision, err := revisionOf(swap.Expected)
	if err != nil {
		return "", fmt.Errorf("write %s to %s: %w", path, a.where(), err)
	}
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	if ctx.Err() != nil {
		return "", fmt.Errorf("write %s to %s: %w: %w", path, a.where(), core.ErrUnavailable, ctx.Err())
	}
	ctx, words := listening(ctx)
	var sent atomic.Bool
	answer, err := withToken(ctx, a, func() (*clientv3.TxnResponse, error) {
		// The revision of a key that does not exist is 0.
		return a.client.Txn(marked(ctx, &sent)).
			If(clientv3.Compare(clientv3.ModRevision(path), "=", revision)).
			Then(clientv3.OpPut(path, string(swap.Record))).
			Commit()
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("write %s to %s: %w", path, a.where(), writeCode(words.on(err), sent.Load()))
	case !answer.Succeeded:
		return "", fmt.Errorf("write %s to %s: %w: its revision is not %d", path, a.where(), core.ErrConflict, revision)
	}
	// The revision of the transaction is that of everything it wrote.
	return versionOf(answer.Header.Revision), nil
}

func snapshotOf(kv *mvccpb.KeyValue) core.Snapshot {
	record := kv.Value
	if record == nil {
		record = []byte{} // empty, not absent
	}
	return core.Snapshot{Version: versionOf(kv.ModRevision), Record: record}
}

func versionOf(revision int64) core.Version {
	return core.Version(strconv.FormatInt(revision, 10))
}

// revisionOf is versionOf undone; the zero Version is revision 0. A version that
// this arbiter never gave out fits no record.
func revisionOf(version core.Version) (int64, error) {
	if version == "" {
		return 0, nil
	}
	revision, err := strconv.ParseInt(string(version), 10, 64)
	if err != nil || revision <= 0 {
		return 0, fmt.Errorf("%w: %q is no version of etcd's", core.ErrConflict, version)
	}
	return revision, nil
}
