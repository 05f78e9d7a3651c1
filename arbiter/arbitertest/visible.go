package arbitertest

import (
	"bytes"

	"github.com/electd/electd/core"
)

// vacantRead reads keys that were never written.
func vacantRead(x *exam) {
	a := x.open()
	for n := range 2 {
		ctx, cancel := x.timed()
		s, err := x.look(ctx, a, x.key(n))
		cancel()
		switch {
		case err != nil:
			x.failf("reading a key that was never written: %v", err)
		case s.Version != "" || s.Record != nil || s.Age != 0:
			x.failf("a key that was never written has version %q, age %v and the record %.80q", s.Version, s.Age, s.Record)
		}
	}
}

// readYourWrites lets two clients write in turns, each reading what the other
// wrote the moment it is done. Both have read before, so both could have cached.
func readYourWrites(x *exam) {
	clients := []core.Arbiter{x.open(), x.open()}
	key := x.key(0)
	var version core.Version
	for round := range x.rounds() {
		writer, reader := clients[round%2], clients[(round+1)%2]
		record := body()
		version = x.write(writer, key, version, record)
		for _, r := range []struct {
			who    string
			client core.Arbiter
		}{{"the other client", reader}, {"the writer", writer}} {
			s := x.read(r.client, key)
			if !bytes.Equal(s.Record, record) {
				x.fatalf("round %d: %s read %.80q after %.80q was written", round, r.who, s.Record, record)
			}
			if s.Version != version {
				x.fatalf("round %d: %s read version %q after %q was returned by the write", round, r.who, s.Version, version)
			}
		}
	}
}
