package api

import "github.com/electd/electd/core"

// slugs are the reasons as label values: one word each, few in number, and the
// same when the sentences change. What is not among them is "other".
var slugs = map[core.Reason]string{
	core.BecauseStarted:        "started",
	core.BecauseHeardLeader:    "heard-leader",
	core.BecauseVacant:         "vacant",
	core.BecauseAbsent:         "absent",
	core.BecauseNewCluster:     "new-cluster",
	core.BecauseHolderSilent:   "holder-silent",
	core.BecauseReclaim:        "reclaim",
	core.BecauseTaken:          "taken",
	core.BecauseTakeLost:       "take-lost",
	core.BecauseTakenLate:      "taken-late",
	core.BecausePromoted:       "promoted",
	core.BecausePromoteFailed:  "promote-failed",
	core.BecauseFloorUnsaved:   "epoch-unsaved",
	core.BecauseAuthorityEnds:  "authority-ends",
	core.BecauseStale:          "stale",
	core.BecauseDeposed:        "deposed",
	core.BecauseRecordGone:     "record-gone",
	core.BecauseResumedByWrite: "resumed-by-write",
	core.BecauseResumedByBeats: "resumed-by-heartbeats",
	core.BecauseStepDown:       "step-down",
	core.BecauseHandOver:       "hand-over",
	core.BecauseUnhealthy:      "unhealthy",
	core.BecauseServiceEnded:   "service-ended",
	core.BecauseShutdown:       "shutdown",
	core.BecauseReleased:       "released",
	core.BecauseReleaseFailed:  "release-failed",

	core.NotLeading:        "not-leading",
	core.NoCandidate:       "no-candidate",
	core.NotACandidate:     "not-a-candidate",
	core.ForwardedToLeader: "forwarded",
	core.AlreadyChanging:   "already-changing",
	core.ToldTwinSession:   "twin-session",
	core.ToldTwinIdentity:  "twin-identity",
	core.ToldStranger:      "stranger",
	core.ToldRecordGone:    "record-deleted",
	core.ToldRecordCorrupt: "record-corrupt",
	core.ToldFormatNewer:   "format-newer",
	core.ToldRolledBack:    "rolled-back",
	core.ToldDenied:        "denied",
	core.ToldInvalid:       "invalid",
	core.ToldFloorUnsaved:  "floor-unsaved",
	core.ToldStopFailed:    "stop-failed",
}

func slug(r core.Reason) string {
	if s, ok := slugs[r]; ok {
		return s
	}
	return "other"
}
