package client

import "time"

// Node is the daemon as a whole: GET /v1/node.
type Node struct {
	Node      string     `json:"node"`
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
}

// Election is how one election stands on this node: GET /v1/elections/{name}.
// Durations are milliseconds from when the daemon answered.
type Election struct {
	Election string `json:"election"`
	Node     string `json:"node"`
	Session  string `json:"session"`
	Role     string `json:"role"`  // leader, follower, or between the two: candidate, fenced, releasing
	Phase    string `json:"phase"` // of the state machine
	Leading  bool   `json:"leading"`
	Epoch    uint64 `json:"epoch"`
	Revision uint64 `json:"revision"`
	Floor    uint64 `json:"floor"`

	// Leader is the node that holds the lease as far as this one knows, empty
	// if it knows of none; Addresses are the holder's as in the record.
	Leader    string    `json:"leader"`
	Addresses Addresses `json:"leader_addresses"`

	// ValidForMS is how long the answer may be relied on, counted from when the
	// request was sent. Zero: it was true when given, and may not be any more.
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

	ArbiterLeaseMS   int64 `json:"arbiter_lease_ms"`
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

// Done is the answer to a request that changes something.
type Done struct {
	Done      bool   `json:"done"`
	Forwarded string `json:"forwarded,omitempty"` // node id of the leader it went to
}

// Failure is the body of every answer that is an error.
type Failure struct {
	Error string `json:"error"`
}
