package bully

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/electd/electd/arbiter/bully/register"
	"github.com/electd/electd/core"
)

// maxRecord and maxKey bound what is stored.
const (
	maxRecord = 64 << 10
	maxKey    = 1024
)

// Read returns what a majority agrees on.
func (a *Arbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	w, err := a.want(ctx, key)
	if err != nil {
		return core.Snapshot{}, err
	}
	op := a.perform(ctx, w)
	if op.Result.Outcome != register.Found {
		return core.Snapshot{}, fmt.Errorf("bully: read %s: %s: %w", key, a.reasons(&op), core.ErrUnavailable)
	}
	s := core.Snapshot{Version: core.Version(op.Result.Value.Version), Age: op.Result.Age}
	if s.Version != "" {
		s.Record = []byte(op.Result.Value.Record)
	}
	return s, nil
}

// CompareAndSwap stores the record iff a majority agrees that the expected
// version is what is stored. A Take first waits for its turn in the Bully order.
func (a *Arbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	w, err := a.want(ctx, swap.Key)
	if err != nil {
		return "", err
	}
	if len(swap.Record) == 0 || len(swap.Record) > maxRecord {
		return "", fmt.Errorf("bully: a record of %d bytes, between 1 and %d are possible: %w", len(swap.Record), maxRecord, core.ErrInvalid)
	}
	if swap.Intent == core.Take {
		defer a.turns.stand(swap.Key)()
		if err := a.awaitTurn(ctx, swap); err != nil {
			return "", err
		}
	}
	w.Expected = string(swap.Expected)
	w.Value = register.Value{Version: rand.Text(), Record: string(swap.Record)}
	op := a.perform(ctx, w)
	switch op.Result.Outcome {
	case register.Stored:
		switch swap.Intent {
		case core.Take:
			a.ranks.passOver(a.rank(), time.Now())
		case core.Release:
			a.turns.release(swap.Key, w.Value.Version)
		}
		a.spread(swap.Key, op.StoredIn(), w.Value.Version)
		return core.Version(w.Value.Version), nil
	case register.Mismatch:
		return "", fmt.Errorf("bully: swap %s: another version is stored: %w", swap.Key, core.ErrConflict)
	case register.Unknown:
		return "", fmt.Errorf("bully: swap %s: it may have been applied: %s: %w", swap.Key, a.reasons(&op), core.ErrUnknown)
	}
	return "", fmt.Errorf("bully: swap %s: not applied: %s: %w", swap.Key, a.reasons(&op), core.ErrUnavailable)
}

// want is the part of a Want that reads and swaps share, or why there is none.
func (a *Arbiter) want(ctx context.Context, key string) (register.Want, error) {
	if err := ctx.Err(); err != nil {
		return register.Want{}, fmt.Errorf("bully: %w: %w", err, core.ErrUnavailable)
	}
	if a.ctx.Err() != nil {
		return register.Want{}, fmt.Errorf("bully: closed: %w", core.ErrUnavailable)
	}
	if key == "" || len(key) > maxKey {
		return register.Want{}, fmt.Errorf("bully: a key of %d bytes, between 1 and %d are possible: %w", len(key), maxKey, core.ErrInvalid)
	}
	founding, err := a.belongsTo()
	return register.Want{
		Voters: a.electorate.Size(), Electorate: a.electorate.Hash(), Founding: founding, Key: key,
	}, err
}

// spread tells the other nodes that something was decided, by a direct message
// to each voter and by gossip to everybody.
func (a *Arbiter) spread(key string, ballot register.Ballot, version string) {
	n := news{key: key, ballot: ballot, version: version}
	a.hear(n)
	for i := range a.electorate.Size() {
		if i == a.net.me {
			continue
		}
		a.spawn(func() {
			ctx, cancel := context.WithTimeout(a.ctx, 2*time.Second)
			defer cancel()
			_ = a.electors.learn(ctx, i, n.message(a.electorate.Hash()))
		})
	}
}
