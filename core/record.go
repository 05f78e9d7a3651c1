package core

import "time"

// Format is the newest record format this code writes and understands.
const Format = 1

// MaxElectors bounds the electors of an election, the holder included.
const MaxElectors = 9

// Elector is a node named in the record. It is named by node id and identity,
// so that a second machine with the same id is a stranger.
type Elector struct {
	Node     string
	Identity string
}

// Roster is the set of electors of a record, in the order written.
type Roster struct {
	List [MaxElectors]Elector
	Len  int
}

// With returns the roster with e added; a full roster is returned unchanged.
func (r Roster) With(e Elector) Roster {
	if r.Len < MaxElectors {
		r.List[r.Len] = e
		r.Len++
	}
	return r
}

// Has reports whether e, node and identity, is one of the electors.
func (r *Roster) Has(e Elector) bool {
	for i := range r.Len {
		if r.List[i] == e {
			return true
		}
	}
	return false
}

// within reports whether all of its electors are among those of another roster.
func (r *Roster) within(of *Roster) bool {
	for i := range r.Len {
		if !of.Has(r.List[i]) {
			return false
		}
	}
	return true
}

// Identity returns the identity under which a node is an elector, or "".
func (r *Roster) Identity(node string) string {
	for i := range r.Len {
		if r.List[i].Node == node {
			return r.List[i].Identity
		}
	}
	return ""
}

// RecordState says whether a record has a holder.
type RecordState uint8

// The states of a record. Vacant keeps the epoch of the holding that ended.
const (
	Vacant RecordState = iota + 1
	Held
)

// Addresses are where the holder can be reached.
type Addresses struct {
	Peer string
	API  string
}

// Record is the lease record: who leads, at which epoch (design 3.2). It is a
// plain comparable value; codec.go gives its JSON form.
type Record struct {
	Format    int
	Election  string
	Epoch     Epoch
	Revision  Revision
	Holder    string // node id; empty when vacant
	Session   string // the holder's; empty when vacant
	WriteID   string
	State     RecordState
	Successor string // node id named at a release, or empty
	Electors  Roster

	ArbiterLease   time.Duration
	HeartbeatLease time.Duration
	Addresses      Addresses

	// Unix milliseconds by the writer's wall clock, for people; nothing decides on them.
	AcquiredAt, WrittenAt, ExpiresAt int64

	// Unknown holds the members this format does not know, as one JSON object;
	// they survive a read-modify-write. Empty when there are none.
	Unknown string
}

// Position returns the record's place in the order of all records.
func (r *Record) Position() Position { return Position{r.Epoch, r.Revision} }

// Open reports whether the record names no elector but its holder: then there
// are no strangers, and no heartbeats that could bind.
func (r *Record) Open() bool { return r.Electors.Len <= 1 }

// writer is the node that wrote the record: a holder names itself first among
// the electors, and a release leaves them as they are. Who has just fallen
// silent or stepped down is not the one to wait for.
func (r *Record) writer() string { return r.Electors.List[0].Node }

// Vacated returns the record as its holder leaves it: held by nobody, for the
// successor to take first if one is named, at the same epoch and revision.
func (r Record) Vacated(successor string) Record {
	r.State, r.Holder, r.Session, r.Addresses = Vacant, "", "", Addresses{}
	r.Successor = successor
	return r
}
