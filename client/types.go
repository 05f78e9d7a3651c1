package client

import (
	"encoding/json"
	"time"
)

// Node is the daemon as a whole: GET /v1/node.
type Node struct {
	Node      string     `json:"node"`
	Session   string     `json:"session"` // random, new at every start of the daemon
	Version   string     `json:"version"`
	Arbiter   Arbiter    `json:"arbiter"`
	Elections []Election `json:"elections"`
	StartedAt time.Time  `json:"started_at"`
}

// Arbiter is how the daemon's arbiter does.
type Arbiter struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Running  bool   `json:"running"` // its process
	Restarts int    `json:"restarts"`
	Problem  string `json:"problem,omitempty"` // why it is not running, or why no election may stand on it
	Probe    string `json:"probe"`             // pending, passed, skipped, unreachable, refused

	// What the arbiter told of itself last.
	Credentials *Credentials `json:"credentials,omitempty"` // nil: none are needed, or it does not tell
	Problems    []string     `json:"problems,omitempty"`    // each a sentence: what is wrong, what to do
	Preferred   string       `json:"preferred,omitempty"`   // node that it would rather see lead than this one
}

// Credentials says with what the arbiter signs its requests, and until when.
type Credentials struct {
	Source    string    `json:"source"`              // what gave them; empty: none in use yet
	ID        string    `json:"id,omitempty"`        // the part that is no secret
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero: never
	Problem   string    `json:"problem,omitempty"`   // why the last renewal failed
}

// Election is how one election stands on this node: GET /v1/elections/{name}.
// Durations are milliseconds from when the daemon answered.
type Election struct {
	Election string `json:"election"`
	Node     string `json:"node"`
	Session  string `json:"session"`
	Role     string `json:"role"`  // leader, follower, or between the two: candidate, promoting, fenced, releasing; or broken
	Phase    string `json:"phase"` // of the state machine
	Leading  bool   `json:"leading"`
	Epoch    uint64 `json:"epoch"`
	Revision uint64 `json:"revision"`
	Floor    uint64 `json:"floor"`

	// Leader is the node that leads as far as this one can tell, empty if it
	// cannot: nobody is named whose lease is over, and not this node while its
	// guard is shut. Holder is the fact of the newest record known, whatever
	// became of it; Addresses are the leader's.
	Leader    string    `json:"leader"`
	Holder    string    `json:"holder"`
	Addresses Addresses `json:"leader_addresses"`

	// AgeMS is how long ago the answer was last confirmed, by the leader's
	// heartbeat, by electors, or by a read of the record; -1 if never.
	// ValidForMS is how long it may be relied on, counted from when the request
	// was sent: no failure anywhere makes another node lead before. Only a leader
	// that gives up on request ends it sooner, which the event stream tells; a
	// program that must not act beside the next leader keeps a Guard. Zero: it
	// was true when given, and may not be any more.
	AgeMS      int64 `json:"age_ms"`
	ValidForMS int64 `json:"valid_for_ms"`

	Why     string `json:"why"`
	Because string `json:"because"`           // reason of the last transition
	Trouble string `json:"trouble,omitempty"` // what somebody should look at

	AuthorityMS int64 `json:"authority_ms"` // a leader's authority left
	ActForMS    int64 `json:"act_for_ms"`   // and until its guard shuts, if nothing comes
	ArbiterMS   int64 `json:"arbiter_ms"`   // of it, what the arbiter bought
	FreeInMS    int64 `json:"free_in_ms"`   // a follower: until it may challenge, if nothing comes

	Priority    int       `json:"priority"`
	Healthy     bool      `json:"healthy"`
	HealthWhy   string    `json:"health_why,omitempty"`
	Paused      bool      `json:"paused"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	Stranger    bool      `json:"stranger,omitempty"`

	ArbiterLeaseMS   int64 `json:"arbiter_lease_ms"` // of the record, as the next one
	HeartbeatLeaseMS int64 `json:"heartbeat_lease_ms"`

	Electors    []string     `json:"electors"`
	Peers       []Peer       `json:"peers"`
	Requests    Requests     `json:"requests"`
	Transitions []Transition `json:"transitions"` // the last ones, newest last
}

// Addresses are where a holder can be reached.
type Addresses struct {
	Peer string `json:"peer,omitempty"`
	API  string `json:"api,omitempty"`
}

// Peer is what this node knows of another.
type Peer struct {
	Node         string `json:"node"`
	Connected    bool   `json:"connected"`
	Problem      string `json:"problem,omitempty"`
	Elector      bool   `json:"elector"`
	Acknowledges bool   `json:"acknowledges"` // the last heartbeats, in time; of a leader's peers only
	Eligible     bool   `json:"eligible"`
	Paused       bool   `json:"paused"`
	Priority     int    `json:"priority"`
	API          string `json:"api,omitempty"`
	Version      string `json:"version,omitempty"`
}

// Requests counts the requests to the arbiter for this election.
type Requests struct {
	Reads     uint64 `json:"reads"`
	Writes    uint64 `json:"writes"`
	Failures  uint64 `json:"failures"`
	LastError string `json:"last_error,omitempty"`
}

// Transition is one change of phase.
type Transition struct {
	ID       uint64    `json:"id"`
	At       time.Time `json:"at"`
	Election string    `json:"election"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Epoch    uint64    `json:"epoch"`
	Leader   string    `json:"leader,omitempty"`
	Reason   string    `json:"reason"`
	TookMS   int64     `json:"took_ms"` // spent in From
}

// StepDown asks a leader to give up: POST /v1/elections/{name}/step-down.
type StepDown struct {
	To string `json:"to,omitempty"` // node id; empty: anyone
}

// Pause keeps a node from standing: POST /v1/elections/{name}/pause.
type Pause struct {
	ForMS int64 `json:"for_ms"`
}

// Release writes the record vacant in the place of a holder that is gone for
// good: POST /v1/elections/{name}/release. Whoever asks swears that nothing of
// the holder acts any more.
type Release struct {
	Epoch uint64 `json:"epoch"` // of the record as the operator saw it; another one is left alone
	Force bool   `json:"force"` // must be true
}

// ReloadPlugin puts a new process in the place of the arbiter's plugin:
// POST /v1/plugin/reload, on the Unix socket.
type ReloadPlugin struct {
	Name string `json:"name,omitempty"` // the arbiter's, to be sure; empty: whichever it is
}

// Plugin is the plugin that has taken over.
type Plugin struct {
	Name    string `json:"name"`
	Version string `json:"version"` // as it says of itself
	Before  string `json:"before"`  // version of the one that it replaced
	Path    string `json:"path"`
	SHA256  string `json:"sha256"` // of its file
	PID     int    `json:"pid"`
	Warning string `json:"warning,omitempty"` // that it took over without a probe, and why
}

// Outcome is what became of a request that changes something.
type Outcome string

// The outcomes.
const (
	OutcomeDone      Outcome = "done"
	OutcomeForwarded Outcome = "forwarded" // to the leader; what becomes of it shows in the status
	OutcomeUnknown   Outcome = "unknown"   // it may have happened: look again
)

// Done is the answer to a request that changes something.
type Done struct {
	Outcome Outcome `json:"outcome"`
	To      string  `json:"to,omitempty"` // node id of the leader it was forwarded to
}

// Lease is the record as the arbiter holds it, read for this answer:
// GET /v1/elections/{name}/lease.
type Lease struct {
	Found   string          `json:"found"`   // record, absent, corrupt, newer (a format this version does not know)
	Version string          `json:"version"` // the arbiter's tag; empty if absent
	AgeMS   int64           `json:"age_ms"`  // since it was stored, by the store's clock; 0 if unknown
	Record  json.RawMessage `json:"record"`  // as stored; null unless Found is record or newer
}

// Permit lets a program act while the daemon leads: PUT
// /v1/elections/{name}/guards/{id}. Epoch zero: it may not act.
type Permit struct {
	Epoch      uint64 `json:"epoch"`
	ValidForMS int64  `json:"valid_for_ms"` // counted from when the request was sent
	Why        string `json:"why"`
}

// Missed says that transitions before the next one are not kept any more.
type Missed struct {
	After string `json:"after"` // the id that was to be resumed at
	Why   string `json:"why"`   // restarted (the id is of another session of the daemon), dropped (it is too old), unknown (it is no id)
}

// Access is whether who asks may change things, and as whom the daemon's log
// names it: GET /v1/access.
type Access struct {
	Allowed bool   `json:"allowed"`
	As      string `json:"as"`
}

// Health is the answer of /livez and /readyz.
type Health struct {
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"` // one sentence each
}

// Failure is the body of every answer that is an error.
type Failure struct {
	Error string `json:"error"`
}
