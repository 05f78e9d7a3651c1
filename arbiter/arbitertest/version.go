package arbitertest

import (
	"bytes"
	"fmt"

	"github.com/electd/electd/core"
)

// createOnce creates a record that is there.
func createOnce(x *exam) {
	a, b := x.open(), x.open()
	key := x.key(0)
	record := body()
	v := x.write(a, key, "", record)
	for _, again := range []struct {
		who    string
		client core.Arbiter
		record []byte
	}{{"another client", b, body()}, {"the same client", a, body()}, {"the same client, with the same bytes,", a, record}} {
		_, err := x.swap(again.client, core.Swap{Key: key, Record: again.record})
		x.refused(err, "a create by "+again.who+" on a record that is there")
		x.unchanged(b, key, v, record)
	}
}

// newVersion replaces a record by ones that differ little from it.
func newVersion(x *exam) {
	a, b := x.open(), x.open()
	records := []string{
		`{"format":1,"write_id":"aaaaaaaa"}`,
		`{"format":1,"write_id":"aaaaaaab"}`,
		`{"write_id":"aaaaaaab","format":1}`,
		`{"write_id":"aaaaaaab","format":1}` + "\n",
		`{"write_id":"Aaaaaaab","format":1}` + "\n",
	}
	var version core.Version
	for n, record := range records {
		v := x.write(a, x.key(0), version, []byte(record))
		if v == version {
			x.fatalf("%q and %q have the same version %q", records[n-1], record, v)
		}
		if s := x.read(b, x.key(0)); s.Version != v {
			x.fatalf("%q was stored at version %q and is read at %q", record, v, s.Version)
		}
		version = v
	}
}

// staleSwap swaps on the version before the stored one, and on one that never
// was.
func staleSwap(x *exam) {
	a, b := x.open(), x.open()
	key := x.key(0)
	stale := x.write(a, key, "", body())
	for round := range x.rounds() {
		record := body()
		v := x.write(a, key, stale, record)
		for _, client := range []core.Arbiter{a, b} {
			_, err := x.swap(client, core.Swap{Key: key, Expected: stale, Record: body(), Intent: core.Renew})
			x.refused(err, fmt.Sprintf("round %d: a swap on the replaced version %q", round, stale))
			x.unchanged(b, key, v, record)
		}
		stale = v
	}
	before := x.read(b, key)
	if _, err := x.swap(b, core.Swap{Key: key, Expected: "no-such-version", Record: body()}); err == nil {
		x.failf("a swap on a version that never was is applied")
	}
	x.unchanged(b, key, before.Version, before.Record)
}

// missingSwap swaps on a version of a key that was never written.
func missingSwap(x *exam) {
	a := x.open()
	v := x.write(a, x.key(0), "", body())
	record := body()
	if _, err := x.swap(a, core.Swap{Key: x.key(1), Expected: v, Record: record}); err == nil {
		x.failf("a swap on version %q of a key that was never written is applied", v)
	}
	if s := x.read(a, x.key(1)); bytes.Equal(s.Record, record) {
		x.failf("a swap on version %q of a key that was never written took effect", v)
	}
}

// aba stores A, then B, then A again but for its write_id, and swaps on the first
// A's version.
func aba(x *exam) {
	a, b := x.open(), x.open()
	key := x.key(0)
	first := x.write(a, key, "", body())
	second := x.write(a, key, first, []byte(`{"format":1,"state":"vacant"}`))
	record := body()
	third := x.write(a, key, second, record)
	_, err := x.swap(b, core.Swap{Key: key, Expected: first, Record: body()})
	x.refused(err, fmt.Sprintf("a swap on version %q, which was followed by %q and %q", first, second, third))
	x.unchanged(b, key, third, record)
}

// refused notes a problem unless err is a conflict.
func (x *exam) refused(err error, what string) {
	if outcome := core.WriteOutcome(err); outcome != core.Conflict {
		x.failf("%s is %v, not a conflict: %v", what, outcome, err)
	}
}

// unchanged ends the check unless record is stored under key at version.
func (x *exam) unchanged(a core.Arbiter, key string, version core.Version, record []byte) {
	if s := x.read(a, key); s.Version != version || !bytes.Equal(s.Record, record) {
		x.fatalf("a write that should not have had an effect left %.80q at version %q; %.80q was stored at %q", s.Record, s.Version, record, version)
	}
}
