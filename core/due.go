package core

// maxDues bounds the rounds of one step: one duty may make another one due, but
// never for ever.
const maxDues = 8

// settleDues does what the clock makes due, and what that makes due, until
// nothing is.
func (t *turn) settleDues() {
	t.Next = t.next()
	for range maxDues {
		if t.Next > t.now {
			return
		}
		t.due()
		t.Next = t.next()
	}
}

// due does what the clock makes due, once each. Every duty is a pair: xAt says
// when, Never if it is none of this phase's business or waits for something else
// to happen; the function beside it does it, after which xAt is later than now.
func (t *turn) due() {
	if t.now >= t.fenceAt() {
		t.fence(BecauseAuthorityEnds)
	}
	if t.now >= t.silenceAt() {
		t.missRound()
	}
	if t.now >= t.leadAt() {
		t.enter(Leading, BecausePromoted)
	}
	if t.now >= t.leaveAt() {
		t.beginRelease(BecauseUnhealthy, "")
	}
	if t.now >= t.resumeAt() {
		t.resume()
	}
	if t.now >= t.waiveAt() {
		t.waive()
	}
	if t.now >= t.rosterAt() {
		t.reviewRoster()
	}
	if t.now >= t.roundAt() {
		t.sendRound()
	}
	if t.now >= t.stopAt() {
		t.startStop()
	}
	if t.now >= t.abandonReleaseAt() {
		t.abandonRelease()
	}
	if t.now >= t.takeAt() {
		t.take()
	}
	if t.now >= t.renewAt() {
		t.renew()
	}
	if t.now >= t.retakeAt() {
		t.retake()
	}
	if t.now >= t.releaseAt() {
		t.release()
	}
	if t.now >= t.retryAt() {
		t.retry()
	}
	if t.now >= t.saveAt() {
		t.saveFloor()
	}
	if t.now >= t.readAt() {
		t.read()
	}
}

// next returns the earliest instant at which a duty falls due.
func (t *turn) next() Instant {
	return min(
		t.fenceAt(), t.silenceAt(), t.leadAt(), t.leaveAt(), t.resumeAt(), t.waiveAt(),
		t.rosterAt(), t.roundAt(), t.stopAt(), t.abandonReleaseAt(),
		t.takeAt(), t.renewAt(), t.retakeAt(), t.releaseAt(), t.retryAt(), t.saveAt(), t.readAt(),
	)
}
