package sim

import "encoding/json"

// Counter names an interesting state that a run may reach. A set of runs that
// never reaches one of them has not tested what it says.
type Counter uint8

// The counters.
const (
	WarmTakeover Counter = iota
	WaiverTakeover
	ColdByAge
	ColdByObservation
	ColdByHeartbeat
	ResumeByWrite
	ResumeByRound
	LateAck
	BusyAnswered
	UnknownApplied
	UnknownNotApplied
	UnknownAppliedLate
	ConflictAtLeader
	RestartInOwnLease
	Reclaimed
	TwinRefused
	StrangerRefused
	StrangerAdmitted
	HandOverTaken
	HandOverReopened
	WitnessRejection
	FloorJump
	TwoChallengers
	EpochFive
	NewCluster
	Recreated
	Retaken
	StaleAnswered
	ReleaseUnresolved
	HeldLate
	AdmittedByForce
	ElectorRemoved
	counters
)

var counterNames = [counters]string{
	"warm_takeover", "waiver_takeover", "cold_by_age", "cold_by_observation", "cold_by_heartbeat", "resume_by_write", "resume_by_round",
	"late_ack_after_fence", "busy_answered", "unknown_write_applied", "unknown_write_not_applied",
	"unknown_write_applied_late", "conflict_at_leader", "restart_inside_own_lease", "reclaim", "twin_refused",
	"stranger_refused", "stranger_admitted", "hand_over_taken", "hand_over_reopened", "witness_rejection",
	"floor_jump", "three_nodes_two_challengers", "epoch_five", "new_cluster", "recreated_after_deletion",
	"retaken_after_stale", "stale_answered", "release_unresolved", "held_late",
	"admitted_by_force", "elector_removed",
}

// String returns the counter's name as it stands in reports.
func (c Counter) String() string { return counterNames[c] }

// Coverage counts how often each interesting state was reached.
type Coverage [counters]int

// Add adds another run's counts.
func (c *Coverage) Add(other *Coverage) {
	for i := range c {
		c[i] += other[i]
	}
}

// Missing returns the counters that are still at 0.
func (c *Coverage) Missing() []string {
	var names []string
	for i, n := range c {
		if n == 0 {
			names = append(names, counterNames[i])
		}
	}
	return names
}

// MarshalJSON gives the counts by name.
func (c Coverage) MarshalJSON() ([]byte, error) {
	m := make(map[string]int, counters)
	for i, n := range c {
		m[counterNames[i]] = n
	}
	return json.Marshal(m)
}
