package sim

// FaultKind names what goes wrong, or what an operator does at a bad moment.
type FaultKind string

// The faults (design 9.1). Every one can be switched off by its name.
const (
	Loss         FaultKind = "loss"          // messages are lost; Amount of 1000
	Duplicate    FaultKind = "duplicate"     // messages arrive twice
	Delay        FaultKind = "delay"         // messages are late, and overtake each other
	Partition    FaultKind = "partition"     // Who is cut off from all peers
	Flap         FaultKind = "flap"          // Who is cut off, and not, and cut off again; every fourth partition does so
	OneWay       FaultKind = "one-way"       // what Who sends does not arrive
	Deaf         FaultKind = "deaf"          // what is sent to Who does not arrive
	Link         FaultKind = "link"          // Who and the machine numbered Amount do not reach each other
	PauseProcess FaultKind = "pause-process" // electd stands still, its service does not
	PauseMachine FaultKind = "pause-machine" // everything on the machine stands still
	CrashProcess FaultKind = "crash-process" // electd dies, its service until the watchdog kills it
	CrashMachine FaultKind = "crash-machine"
	LoseDisk     FaultKind = "lose-disk"    // a machine crashes and comes back empty
	WallStep     FaultKind = "wall-step"    // Who's wall clock is set, by hours at most
	CutOff       FaultKind = "cut-off"      // Who does not reach the store
	StoreDown    FaultKind = "store-down"   // nobody reaches the store
	StoreRefuse  FaultKind = "store-refuse" // the store says it is unavailable
	StoreSlow    FaultKind = "store-slow"
	StoreSilent  FaultKind = "store-silent"   // applies and does not answer
	StoreReset   FaultKind = "store-reset"    // an answer of "unknown" comes before the write is applied
	StoreLate    FaultKind = "store-late"     // applies long after the answer was given up
	Store409     FaultKind = "store-409"      // answers conflict without applying
	StoreRetried FaultKind = "store-retried"  // applies and answers conflict
	Throttle     FaultKind = "store-throttle" // refuses for now
	Deny         FaultKind = "store-deny"     // refuses for good
	Torn         FaultKind = "store-torn"     // reads pair an older version with a newer body
	Stale        FaultKind = "store-stale"    // reads show what was there before
	Delete       FaultKind = "store-delete"   // the record is deleted
	Rollback     FaultKind = "store-rollback" // an older record is restored
	Sick         FaultKind = "sick"           // Who's health check fails
	PauseNode    FaultKind = "pause-node"     // an operator pauses Who
	StepDown     FaultKind = "step-down"
	HandOver     FaultKind = "hand-over"
	Reload       FaultKind = "reload" // other leases
	StopFails    FaultKind = "stop-fails"
	PromoteFails FaultKind = "promote-fails"
	SaveFails    FaultKind = "save-fails"
	Twin         FaultKind = "twin"     // another machine starts with Who's node id
	Shutdown     FaultKind = "shutdown" // Who is stopped in order and started again
	Remove       FaultKind = "remove"   // Who restarts with a configuration that does not list the machine numbered Amount
	Admit        FaultKind = "admit"    // an operator forces Who's admission, if every elector is gone for good
	Renewal      FaultKind = "renewal"  // an embedder asks for a renewal
)

// weights says how often each kind is drawn, and how long it lasts at most, in
// heartbeat leases.
var weights = []struct {
	kind   FaultKind
	weight int
	lasts  int64
}{
	{Loss, 4, 8}, {Duplicate, 2, 20}, {Delay, 4, 8}, {Partition, 6, 8}, {OneWay, 6, 8}, {Deaf, 4, 8}, {Link, 4, 8},
	{PauseProcess, 5, 4}, {PauseMachine, 4, 4}, {CrashProcess, 6, 4}, {CrashMachine, 6, 4}, {LoseDisk, 2, 4},
	{WallStep, 1, 1}, {CutOff, 5, 12}, {StoreDown, 4, 12}, {StoreRefuse, 2, 12}, {StoreSlow, 3, 12},
	{StoreSilent, 4, 6}, {StoreReset, 3, 6}, {StoreLate, 4, 6}, {Store409, 3, 6}, {StoreRetried, 3, 6},
	{Throttle, 1, 6}, {Deny, 1, 6}, {Torn, 2, 8}, {Stale, 2, 4}, {Delete, 1, 1},
	{Sick, 2, 8}, {PauseNode, 2, 8}, {StepDown, 3, 1}, {HandOver, 3, 1}, {Reload, 1, 1},
	{StopFails, 2, 4}, {PromoteFails, 2, 4}, {SaveFails, 2, 4}, {Twin, 1, 20}, {Shutdown, 2, 4},
	{Renewal, 1, 1}, {Remove, 2, 12}, {Admit, 1, 1},
}

// Moment names a point of a run at which faults like to strike.
type Moment string

// The moments.
const (
	AnyTime       Moment = ""
	WriteSent     Moment = "write-sent"
	TakeSent      Moment = "take-sent"
	ReleaseSent   Moment = "release-sent"
	ReadSent      Moment = "read-sent"
	ChallengeRead Moment = "challenge-read" // a follower reads before it takes
	Promotes      Moment = "promotes"
	Fences        Moment = "fences"
	Promises      Moment = "promises" // an elector acknowledges
	GuardEnds     Moment = "guard-ends"
	PromiseEnds   Moment = "promise-ends"
)

var moments = []Moment{
	AnyTime, AnyTime, WriteSent, TakeSent, ReleaseSent, ReadSent, ChallengeRead, Promotes, Fences, Promises,
	GuardEnds, PromiseEnds,
}

// Who a fault strikes, if it is not a machine by index.
const (
	TheLeader   = -1
	AFollower   = -2
	TheMomentum = -3 // whoever the moment came from
)

// Fault is one fault of a plan.
type Fault struct {
	Kind   FaultKind
	At     Time   // not before
	Moment Moment `json:",omitempty"` // what it waits for after that
	After  Time   `json:",omitempty"` // from the moment on; before it, if negative
	Lasts  Time   `json:",omitempty"`
	Who    int    `json:",omitempty"`
	Amount int    `json:",omitempty"`
}
