package arbitertest

import (
	"bytes"
	"time"

	"github.com/electd/electd/core"
)

// createOneWinner lets all takers create the same record at once.
func createOneWinner(x *exam) {
	takers := x.takers()
	for round := range x.h.Rounds {
		x.race(takers, x.key(round), "")
	}
}

// swapOneWinner lets all takers swap the same version at once.
func swapOneWinner(x *exam) {
	takers := x.takers()
	versions := make([]core.Version, x.h.Rounds)
	for round := range versions { // first, so that the store's write interval is over
		versions[round] = x.write(takers[0], x.key(round), "", body())
	}
	for round, version := range versions {
		x.race(takers, x.key(round), version)
	}
}

// takers opens as many clients as shall race.
func (x *exam) takers() []core.Arbiter {
	takers := make([]core.Arbiter, x.h.Takers)
	for i := range takers {
		takers[i] = x.open()
	}
	return takers
}

// race lets all takers write on the same expected version at once, and checks
// that at most one is told that its write was applied and that the record is its.
// A store may turn all of them away (409 of an object store); then they race on.
func (x *exam) race(takers []core.Arbiter, key string, expected core.Version) {
	for range attempts {
		records := make([][]byte, len(takers))
		versions := make([]core.Version, len(takers))
		errs := make([]error, len(takers))
		for i := range takers {
			records[i] = body()
		}
		x.together(len(takers), func(i int) {
			versions[i], errs[i] = x.swap(takers[i], core.Swap{Key: key, Expected: expected, Record: records[i]})
		})

		stored := x.read(takers[0], key)
		landed, winners := -1, 0
		for i, err := range errs {
			if bytes.Equal(stored.Record, records[i]) {
				landed = i
			}
			if err == nil {
				winners++
			}
		}
		switch {
		case winners > 1:
			x.fatalf("%d of %d writes on version %q were applied", winners, len(takers), expected)
		case winners == 0 && landed < 0 && stored.Version == expected:
			continue
		case landed < 0:
			x.fatalf("after %d writes on version %q, none of their records is stored but %.80q", len(takers), expected, stored.Record)
		}
		for i, err := range errs {
			outcome := core.WriteOutcome(err)
			switch {
			case i == landed && outcome != core.Applied && outcome != core.Unknown:
				x.fatalf("the record that is stored is of the write that was told: %v", err)
			case i == landed && outcome == core.Applied && versions[i] != stored.Version:
				x.fatalf("the winner was told version %q, but %q is stored", versions[i], stored.Version)
			case i != landed && outcome == core.Applied:
				x.fatalf("a write was told that it was applied, but another one's record is stored")
			case i != landed && (outcome == core.Denied || outcome == core.Invalid || outcome == core.Corrupt):
				x.failf("a loser was told: %v", err)
			}
		}
		return
	}
	x.fatalf("%d times in a row none of %d writes on version %q was applied", attempts, len(takers), expected)
}

// wholeRead reads while another client writes, and compares what goes together
// with what the writer knows.
func wholeRead(x *exam) {
	const readers = 3
	writes := 20
	if x.h.WriteInterval > 0 {
		writes = x.rounds()
	}
	writer := x.open()
	clients := make([]core.Arbiter, readers)
	for i := range clients {
		clients[i] = x.open()
	}
	key := x.key(0)
	written := map[core.Version][]byte{} // by the writer alone, until all are done
	record := body()
	version := x.write(writer, key, "", record)
	written[version] = record

	seen := make([][]core.Snapshot, readers)
	over := make(chan struct{})
	x.together(readers+1, func(i int) {
		if i == readers {
			defer close(over)
			for range writes {
				record := body()
				version = x.write(writer, key, version, record)
				written[version] = record
			}
			return
		}
		for {
			seen[i] = append(seen[i], x.read(clients[i], key))
			select {
			case <-over:
				return
			case <-time.After(10 * time.Microsecond): // an arbiter that caches would answer at once, for ever
			}
		}
	})
	for _, snapshots := range seen {
		for _, s := range snapshots {
			if want, found := written[s.Version]; !found || !bytes.Equal(s.Record, want) {
				x.failf("version %q was read with %.80q, but it was written with %.80q", s.Version, s.Record, want)
			}
		}
	}
}
