package core

// Reason says why a phase changed, why a command was refused, or what a person
// should know.
type Reason string

// Reasons of transitions.
const (
	BecauseStarted        Reason = "started"
	BecauseHeardLeader    Reason = "a leader was heard"
	BecauseVacant         Reason = "the lease is vacant"
	BecauseAbsent         Reason = "there is no lease record"
	BecauseNewCluster     Reason = "a new cluster: no record and no node that ever saw one"
	BecauseHolderSilent   Reason = "the holder has gone silent and its lease is over"
	BecauseReclaim        Reason = "the holder is this node's own previous session, proven dead"
	BecauseTaken          Reason = "the take was applied"
	BecauseTakeLost       Reason = "the take was not applied"
	BecauseTakenLate      Reason = "the take was applied, but too late to act on"
	BecausePromoted       Reason = "the service is promoted"
	BecausePromoteFailed  Reason = "the promote hook failed or overran"
	BecauseFloorUnsaved   Reason = "the epoch could not be saved in the data directory"
	BecauseAuthorityEnds  Reason = "the authority ends"
	BecauseStale          Reason = "an elector knows an epoch that is not below this one"
	BecauseDeposed        Reason = "another session holds the lease"
	BecauseRecordGone     Reason = "the lease record is gone"
	BecauseResumedByWrite Reason = "a write to the arbiter was applied"
	BecauseResumedByBeats Reason = "all electors acknowledge again"
	BecauseStepDown       Reason = "asked to step down"
	BecauseHandOver       Reason = "asked to hand over"
	BecauseUnhealthy      Reason = "this node is not healthy"
	BecauseServiceEnded   Reason = "the service ended by itself"
	BecauseShutdown       Reason = "shutting down"
	BecauseReleased       Reason = "the lease is released"
	BecauseReleaseFailed  Reason = "the release could not be written"
)

// Reasons of refusals and things to tell.
const (
	NotLeading        Reason = "this node does not lead and does not know who does"
	NoCandidate       Reason = "no other eligible node is reachable"
	NotACandidate     Reason = "the node named is not a reachable, eligible, unpaused elector"
	ForwardedToLeader Reason = "forwarded to the leader"
	AlreadyChanging   Reason = "a change of leader is under way already"
	ToldTwinSession   Reason = "two sessions use one epoch: the data directory was copied, or the record was rolled back"
	ToldTwinIdentity  Reason = "another machine uses the node id of an elector: it stays a stranger"
	ToldStranger      Reason = "this node is not among the record's electors and may not lead until the leader admits it"
	ToldRecordGone    Reason = "the lease record was deleted: waiting a lease before it is created anew"
	ToldRecordCorrupt Reason = "the lease record cannot be read: it is left as it is"
	ToldFormatNewer   Reason = "the lease record has a newer format than this version understands: it is left as it is"
	ToldRolledBack    Reason = "the lease record is older than what was known before: it was rolled back"
	ToldDenied        Reason = "the arbiter denies access: check credentials and permissions"
	ToldInvalid       Reason = "the arbiter refuses the request: check its configuration"
	ToldFloorUnsaved  Reason = "the floor could not be saved in the data directory"
	ToldStopFailed    Reason = "the service could not be stopped or the fence hook failed"
)

// failed reports whether a release is for a service that cannot run here: there
// is nothing to go back to, and this node waits before it stands again.
func (r Reason) failed() bool {
	return r == BecausePromoteFailed || r == BecauseServiceEnded
}
