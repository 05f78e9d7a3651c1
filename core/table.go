package core

// rule names what a node does about an event. step.go has one function for each.
type rule uint8

const (
	undefined rule = iota // no pair of phase and event may be left so
	nothing
	readAnswered
	writeAnswered
	floorSaved
	promoteAnswered
	fenceAnswered
	greet
	missPeer
	noteGreeting
	answerLeader
	answerRival
	countAck
	countBusy
	heedStale
	noteRelease
	handOver
	stand
	stepDown
	forwardStepDown
	refuseStepDown
	renewSoon
	reviewRoster
	admit
	readSoon
	shutDown
	shutDownHolding
	serviceEnded
	rules
)

// table says for every phase and event which rule applies. It is written as it
// is read: what a candidate does, what a holder does, and what differs.
var table = build()

func build() (t [phases][eventKinds]rule) {
	always := map[EventKind]rule{
		Ticked: nothing, ReadDone: readAnswered, WriteDone: writeAnswered, FloorSaved: floorSaved,
		PromoteDone: promoteAnswered, FenceDone: fenceAnswered,
		PeerUp: greet, PeerDown: missPeer, HelloReceived: noteGreeting, StandingChanged: stand,
	}
	candidate := map[EventKind]rule{
		HeartbeatReceived: answerLeader, ReleasedReceived: noteRelease,
		AckReceived: nothing, BusyReceived: nothing, StaleReceived: nothing, HandOverReceived: nothing,
		StepDownAsked: forwardStepDown, RenewAsked: nothing, AdmitForced: admit,
		Reloaded: nothing, Hinted: readSoon, ShutdownAsked: shutDown, ServiceEnded: nothing,
	}
	holder := map[EventKind]rule{
		HeartbeatReceived: answerRival, ReleasedReceived: nothing,
		AckReceived: countAck, BusyReceived: countBusy, StaleReceived: heedStale, HandOverReceived: handOver,
		StepDownAsked: stepDown, RenewAsked: renewSoon, AdmitForced: nothing,
		Reloaded: reviewRoster, Hinted: nothing, ShutdownAsked: shutDownHolding, ServiceEnded: serviceEnded,
	}
	leaving := map[EventKind]rule{
		AckReceived: nothing, BusyReceived: nothing, HandOverReceived: nothing,
		StepDownAsked: refuseStepDown, RenewAsked: nothing, Reloaded: nothing, ShutdownAsked: shutDown,
		ServiceEnded: nothing,
	}
	rows := map[Phase][]map[EventKind]rule{
		NoLease:   {always, candidate},
		Following: {always, candidate},
		Taking:    {always, candidate, {StepDownAsked: refuseStepDown}},
		Promoting: {always, holder},
		Leading:   {always, holder},
		Fenced:    {always, holder},
		Releasing: {always, holder, leaving},
	}
	for phase, layers := range rows {
		for _, layer := range layers {
			for event, r := range layer {
				t[phase][event] = r
			}
		}
	}
	return t
}
