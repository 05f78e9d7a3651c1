// Package memory is a faithful arbiter in memory, for tests and simulations of
// whatever is built on core.Arbiter.
//
// One Store is what all nodes share; each node gets a Client of its own. A plan
// decides the fate of every request: slow, lost, applied but unanswered, applied
// late, refused. Time is package time's, and no goroutine outlives a request, so
// everything works under testing/synctest.
package memory

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// Store is the shared register. Make one with NewStore.
type Store struct {
	mu       sync.Mutex
	plan     func(Call) Fate
	records  map[string]record
	writes   uint64 // applied so far; names the next version
	counts   Counts
	watchers map[*watcher]struct{}
}

// record is what is stored under one key.
type record struct {
	version core.Version
	bytes   []byte
	stored  time.Time
}

// Counts says how many requests the clients have made, refused and lost ones
// included.
type Counts struct{ Reads, Writes int }

// NewStore returns an empty store that answers every request at once.
func NewStore() *Store {
	return &Store{
		plan:     func(Call) Fate { return Pass() },
		records:  map[string]record{},
		watchers: map[*watcher]struct{}{},
	}
}

// Plan lets f decide the fate of every request from now on; it is called once a
// request, one call at a time, and must not call the store. Nil stands for Pass.
func (s *Store) Plan(f func(Call) Fate) {
	if f == nil {
		f = func(Call) Fate { return Pass() }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan = f
}

// Counts returns the number of requests so far.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Get returns what is stored under key, as no client: it is not planned and not
// counted.
func (s *Store) Get(key string) core.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(key)
}

// Put stores bytes under key unconditionally, as an operator who rolls back or
// damages a record does.
func (s *Store) Put(key string, bytes []byte) core.Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(key, bytes)
}

// Delete removes what is stored under key, as an operator does.
func (s *Store) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, key)
	s.tell(key)
}

// swap is the compare-and-swap itself.
func (s *Store) swap(swap core.Swap) (core.Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stored := s.records[swap.Key].version; stored != swap.Expected {
		return "", fmt.Errorf("%w: version %q is stored under %s, and %q was expected",
			core.ErrConflict, stored, swap.Key, swap.Expected)
	}
	return s.put(swap.Key, swap.Record), nil
}

// fate counts the call and asks the plan.
func (s *Store) fate(c Call) Fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Write {
		s.counts.Writes++
	} else {
		s.counts.Reads++
	}
	return s.plan(c)
}

// get returns what is stored under key. s.mu is held.
func (s *Store) get(key string) core.Snapshot {
	now := time.Now()
	r, found := s.records[key]
	if !found {
		return core.Snapshot{StoreTime: now}
	}
	return core.Snapshot{
		Version:   r.version,
		Record:    append([]byte{}, r.bytes...),
		Age:       now.Sub(r.stored),
		StoreTime: now,
	}
}

// put stores bytes under key and tells the watchers. s.mu is held.
func (s *Store) put(key string, bytes []byte) core.Version {
	s.writes++
	version := core.Version(fmt.Sprintf("v%d", s.writes))
	s.records[key] = record{version: version, bytes: slices.Clone(bytes), stored: time.Now()}
	s.tell(key)
	return version
}
