package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// key is where the election's record is stored.
func (e *election) key() string { return node.Key(e.name) }

// Lease implements api.Election: it reads the record.
func (e *election) Lease(ctx context.Context) (client.Lease, error) {
	stored, err := e.agent.host.Arbiter().Read(ctx, e.key())
	switch {
	case errors.Is(err, core.ErrCorrupt):
		return client.Lease{Found: "corrupt"}, nil
	case err != nil:
		return client.Lease{}, err
	case stored.Version == "":
		return client.Lease{Found: "absent"}, nil
	}
	out := client.Lease{Found: "record", Version: string(stored.Version), AgeMS: stored.Age.Milliseconds()}
	switch _, found, _ := core.Decode(stored.Record); found {
	case core.FoundCorrupt:
		out.Found = "corrupt"
		return out, nil
	case core.FoundNewer:
		out.Found = "newer"
	}
	out.Record = stored.Record
	return out, nil
}

// Release implements api.Election: it writes the record vacant in the place of a
// holder that an operator swears is gone for good, if the epoch still is the one
// that the operator saw. This node looks at the record at once, and may take it.
func (e *election) Release(ctx context.Context, epoch uint64) (client.Done, error) {
	done, err := e.release(ctx, epoch)
	e.node.Hint() // whatever became of it, what this node knows is old
	return done, err
}

func (e *election) release(ctx context.Context, epoch uint64) (client.Done, error) {
	arbiter := e.agent.host.Arbiter()
	stored, err := arbiter.Read(ctx, e.key())
	if err != nil {
		return client.Done{}, fmt.Errorf("the record cannot be read: %w", err)
	}
	if stored.Version == "" {
		return client.Done{}, errors.New("there is no record to release")
	}
	record, found, err := core.Decode(stored.Record)
	if found != core.FoundRecord {
		return client.Done{}, fmt.Errorf("the record cannot be understood and is left as it is: %w", err)
	}
	if err := e.releasable(&record, epoch); err != nil {
		return client.Done{}, err
	}
	text, err := core.Encode(vacated(record))
	if err != nil {
		return client.Done{}, fmt.Errorf("the vacant record of %s: %w", e.name, err)
	}
	_, err = arbiter.CompareAndSwap(ctx, core.Swap{Key: e.key(), Expected: stored.Version, Record: text, Intent: core.Release})
	switch core.WriteOutcome(err) {
	case core.Applied:
		return client.Done{Outcome: client.OutcomeDone}, nil
	case core.Unknown:
		return client.Done{Outcome: client.OutcomeUnknown}, nil
	}
	return client.Done{}, fmt.Errorf("the record was not released: %w", err)
}

// releasable says why a record must not be released by force.
func (e *election) releasable(r *core.Record, epoch uint64) error {
	status := e.node.Status()
	switch {
	case uint64(r.Epoch) != epoch:
		return fmt.Errorf("the record is at epoch %d, not %d: look at it again", r.Epoch, epoch)
	case r.State == core.Vacant:
		return errors.New("the record is vacant already")
	case r.Session == status.Session:
		return errors.New("this very node holds the lease and lives: have it step down, or stop it")
	}
	for _, p := range status.Peers {
		if p.Node == r.Holder && p.Connected {
			return fmt.Errorf("%s holds the lease and is connected with this node, so it lives: have it step down, or stop it", r.Holder)
		}
	}
	return nil
}

// vacated is the record as its holder would have released it.
func vacated(r core.Record) *core.Record {
	now := time.Now().UnixMilli()
	r = r.Vacated("")
	r.Revision++
	r.WriteID, r.WrittenAt, r.ExpiresAt = rand.Text(), now, now
	return &r
}
