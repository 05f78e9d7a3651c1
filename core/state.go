package core

import "time"

// State is everything one node knows about one election. It is a plain
// comparable value: equal states behave alike. Only Step changes it.
type State struct {
	Phase   Phase
	Because Reason  // of the last transition
	Now     Instant // of the last step
	Started Instant // of the session
	Next    Instant // when Step wants to be called, at the latest

	Standing   Standing
	Shutdown   bool
	StandAfter Instant // not a candidate before: it could not lead here
	GiveWay    Instant // not a candidate before, unless another one has led since: it stepped down
	Admitted   bool    // the operator forced this stranger's admission
	Jitter     uint64  // drawn once a session
	LastOp     OpID
	Trouble    Troubles // what a person was told and is not over, so as to tell it once

	Floor Floor
	View  View
	Vow   Vow
	Read  Reading
	Write Writing
	Lead  Holding
	Peers [MaxPeers]Peer // by index in Config.Peers
}

// Standing is whether this node may stand for leader.
type Standing struct {
	Healthy  bool
	Paused   bool
	Priority int // 0 never stands; higher goes first
}

// Eligible: healthy, not paused, priority above 0.
func (s Standing) Eligible() bool { return s.Healthy && !s.Paused && s.Priority > 0 }

// Floor is the highest epoch this node ever observed.
type Floor struct {
	Known bool // it exists: this node once read a record that concerned it
	Epoch Epoch
	Saved Epoch // what is known to be on disk; above Epoch while a record is to be created anew
	Op    OpID  // the save in flight, or 0
	Retry Instant
}

// View is what a node knows of the record and of its holder.
type View struct {
	Found  Found  // what the newest read or own write showed; 0 before the first
	Record Record // the newest record known whole; zero before the first, and when absent

	// Heard is the newest position known by any means, with the version the
	// arbiter gave it. The whole record may be older than that.
	Heard   Position
	Top     Position // the newest position ever known; above Heard only after a rollback
	Version Version
	Holder  string // node; empty when vacant
	Session string // the holder's; empty when vacant

	FreeAt      Instant // when the holder's arbiter authority for Heard is over (design 3.4)
	Since       Instant // when Heard was first known
	AbsentSince Instant // since when reads find no record; 0 if they do
	Question    uint64  // number of the question asked of peers since then: the op of the read that first found none
	Anew        Epoch   // to be on disk before the record is created anew; 0: not chosen yet since then
	StoreDate   int64   // the store's date at the last absent read, Unix seconds
	OlderSince  Instant // since when reads show a record older than Heard; 0 if they do not
}

func (v *View) noteTop() {
	if v.Heard.After(v.Top) {
		v.Top = v.Heard
	}
}

// Vow is what a node promised as an elector (design 3.4).
type Vow struct {
	Until   Instant // promised not to challenge before
	Made    bool    // this session has acknowledged something
	Contact Instant // when a heartbeat of the present holder last arrived
	Owed    Owed    // an acknowledgement that waits for the floor to be saved
}

// Owed is an acknowledgement not yet given.
type Owed struct {
	Peer    string
	Session string // the holder's
	Epoch   Epoch
	Seq     uint64
	Until   Instant // the promise it will be
}

// Reading is the state of reads from the arbiter.
type Reading struct {
	Op        OpID    // the read whose answer counts, or 0
	Wanted    bool    // one is wanted apart from the polling
	NotBefore Instant // no read before
	Last      Instant // start of the newest read
	Failures  int     // of the arbiter, in a row
}

// MaxAttempts bounds the write_ids awaited for one proposal. When all are used
// the last is used again, with its first start.
const MaxAttempts = 4

// Writing is the state of writes to the arbiter: at most one proposal is
// unresolved at a time, and a retry proposes the same content anew.
type Writing struct {
	Op        OpID // the attempt in flight, or 0
	OpAttempt int  // which one it is
	NotBefore Instant

	Open     bool   // there is a proposal, not known applied nor known never to apply
	Intent   Intent // of the proposal
	Proposal Record // its WriteID is set per attempt
	Base     Position
	Expected Version // what the next attempt expects
	Attempts [MaxAttempts]Attempt
	Len      int
	Tries    int     // attempts made, reused ones included
	Last     Instant // start of the newest attempt
}

// Attempt is one write that may be applied yet.
type Attempt struct {
	WriteID string
	Started Instant
}

// Holding is what a node knows while the record is in its own name.
type Holding struct {
	Epoch        Epoch   // of the holding
	ArbiterUntil Instant // authority from the arbiter; 0 after a waiver or a fence
	WrittenAt    Instant // start of the newest write known applied
	Since        Instant // when the holding began
	BeatsVoid    bool    // a release was started: only a later write known applied counts
	RenewWanted  bool    // renew as soon as nothing is in flight
	RosterAt     Instant // when to look at the electors again
	StaleEpoch   Epoch   // highest epoch an elector answered Stale with

	Seq     uint64 // of the last round of heartbeats; rises over the whole session
	RoundAt Instant
	Rounds  [8]Round

	Ends         Instant // end of the authority that was fenced: the stop must be over by then
	Service      Service
	ServiceEpoch Epoch // it was promoted for
	Op           OpID  // the hook awaited: promote or fence
	Promoted     bool  // the promote hook is done
	Retry        Instant

	Leaving   Reason // why it is being released
	Successor string
	Answer    OpID    // the command to answer when the release is done
	ReleaseBy Instant // when an unwritten release is given up
}

// Service is what is known of the service on this node.
type Service uint8

// The states of the service. It counts as Active from the start of the promote
// hook until a fence is known to be over.
const (
	Passive Service = iota
	Active
	Stopping
)

// Round is one set of heartbeats sent to all peers at once.
type Round struct {
	Seq    uint64
	Sent   Instant
	Lease  time.Duration
	Asking bool
}

// Peer is what a node knows of one configured peer.
type Peer struct {
	Connected bool
	Hello     Greeting

	// As a holder sees it; reset at the start of a holding and at a fence.
	Reachable bool          // acknowledged the last round in time
	Seq       uint64        // newest round it acknowledged, asking or not
	Answered  Instant       // when that was sent
	Sent      Instant       // when the newest round that it promised on was sent
	Lease     time.Duration // of that round
	Identity  string        // which machine promised
	Alive     Instant       // last acknowledgement by the elector under this node id
}

// Greeting is what a peer last said of itself.
type Greeting struct {
	Known    bool
	Identity string
	HasFloor bool     // it has a floor, or knows that there was a record
	Floor    Epoch    // the highest epoch it ever said it knew
	Heard    Position // the newest record it ever said it knew
	Answers  uint64   // the newest question of this node that it answered
	Eligible bool
	Paused   bool
	Priority int
	API      string
	Software string
}

// New returns the state of a session that starts now. saved is the floor found
// in the data directory; known is false if there is none.
func New(now Instant, standing Standing, saved Epoch, known bool, jitter uint64) State {
	s := State{
		Phase: NoLease, Because: BecauseStarted, Now: now, Started: now, Next: now,
		Standing: standing, Jitter: jitter,
		Floor: Floor{Known: known, Epoch: saved, Saved: saved},
	}
	s.View.FreeAt = Never
	return s
}

// Guard returns the epoch this node may act at and the instant before which it
// may; the epoch is zero if it may not act at all. It holds until the next Step.
func (s *State) Guard(c *Config) (Epoch, Instant) {
	if s.Phase != Leading {
		return 0, 0
	}
	return s.View.Record.Epoch, s.authority(c).Add(-c.FenceMargin)
}

// Authority returns the instant until which this node counts as holder; zero
// if it does not. The guard shuts a margin before it.
func (s *State) Authority(c *Config) Instant {
	if !s.Phase.Holds() {
		return 0
	}
	return s.authority(c)
}
