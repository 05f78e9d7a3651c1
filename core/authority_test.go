package core

import (
	"testing"
	"time"
)

// at is an instant of the tests, so many seconds after their worlds' start.
func at(seconds float64) Instant {
	return origin.Add(time.Duration(seconds * float64(time.Second)))
}

// of returns a roster of nodes under their first identities; "b/x" is the node b
// under the identity id-x.
func of(nodes ...string) (r Roster) {
	for _, n := range nodes {
		if len(n) == 3 {
			r = r.With(Elector{n[:1], "id-" + n[2:]})
			continue
		}
		r = r.With(Elector{n, "id-" + n})
	}
	return r
}

// configOfA is the node a among the peers b and c.
func configOfA() *Config {
	return &Config{
		Election: "orders", Node: "a", Identity: "id-a", Session: "a1", Peers: []string{"b", "c"},
		ArbiterLease: 30 * time.Second, HeartbeatInterval: 500 * time.Millisecond, HeartbeatLease: 1500 * time.Millisecond,
		FenceMargin: 500 * time.Millisecond, ArbiterTimeout: 2 * time.Second,
	}
}

// leadingA is a leading 1.1 of the electors given, at the instant given.
func leadingA(now Instant, electors Roster) *turn {
	s := New(now, Standing{Healthy: true, Priority: 1}, 1, true, 0)
	s.Phase = Leading
	s.View.Found = FoundRecord
	s.View.Record = Record{
		Format: Format, Epoch: 1, Revision: 1, Holder: "a", Session: "a1", State: Held, Electors: electors,
		ArbiterLease: 30 * time.Second, HeartbeatLease: 1500 * time.Millisecond,
	}
	s.View.Heard, s.View.Top = s.View.Record.Position(), s.View.Record.Position()
	s.View.Holder, s.View.Session = "a", "a1"
	s.Lead.Service = Active
	return &turn{State: &s, c: configOfA(), now: now}
}

// promised lets a peer have acknowledged a round sent so many seconds after start.
func (t *turn) promised(node string, sent float64) {
	p := &t.Peers[t.c.peer(node)]
	p.Identity, p.Sent, p.Lease, p.Reachable = "id-"+node, at(sent), 1500*time.Millisecond, true
}

// open lets a renewal to those electors be unresolved.
func (t *turn) open(electors Roster, lease time.Duration) {
	t.Write.Open, t.Write.Intent, t.Write.Proposal = true, Renew, t.View.Record
	t.Write.Proposal.Electors, t.Write.Proposal.HeartbeatLease = electors, lease
}

// TestBeatsUntil: the electors' promises carry to the earliest end of them all,
// over the electors of the record and of every write that may yet be applied
// (design 3.3).
func TestBeatsUntil(t *testing.T) {
	const lease = 1500 * time.Millisecond
	for name, c := range map[string]struct {
		electors Roster
		given    func(*turn)
		want     Instant
	}{
		"nobody":               {of(), func(*turn) {}, 0},
		"only itself":          {of("a"), func(t *turn) { t.promised("b", 10) }, 0},
		"one":                  {of("a", "b"), func(t *turn) { t.promised("b", 10) }, at(11.5)},
		"two, the earlier":     {of("a", "b", "c"), func(t *turn) { t.promised("b", 12); t.promised("c", 10) }, at(11.5)},
		"two, one silent":      {of("a", "b", "c"), func(t *turn) { t.promised("b", 12) }, 0},
		"not an elector":       {of("a", "b"), func(t *turn) { t.promised("b", 12); t.promised("c", 10) }, at(13.5)},
		"another machine":      {of("a", "b/x"), func(t *turn) { t.promised("b", 10) }, 0},
		"not configured":       {of("a", "b", "d"), func(t *turn) { t.promised("b", 10) }, 0},
		"its twin":             {of("a", "b", "a/x"), func(t *turn) { t.promised("b", 10) }, 0},
		"after a release":      {of("a", "b"), func(t *turn) { t.promised("b", 10); t.Lead.BeatsVoid = true }, 0},
		"a round's lease":      {of("a", "b"), func(t *turn) { t.promised("b", 10); t.Peers[0].Lease = time.Second }, at(11)},
		"a round's longer":     {of("a", "b"), func(t *turn) { t.promised("b", 10); t.Peers[0].Lease = 9 * time.Second }, at(11.5)},
		"adds a silent one":    {of("a", "b"), func(t *turn) { t.promised("b", 10); t.open(of("a", "b", "c"), lease) }, 0},
		"adds an earlier one":  {of("a", "b"), func(t *turn) { t.promised("b", 12); t.promised("c", 10); t.open(of("a", "b", "c"), lease) }, at(11.5)},
		"removes the earlier":  {of("a", "b", "c"), func(t *turn) { t.promised("b", 10); t.promised("c", 12); t.open(of("a", "c"), lease) }, at(11.5)},
		"removes a silent one": {of("a", "b", "c"), func(t *turn) { t.promised("c", 12); t.open(of("a", "c"), lease) }, 0},
		"removes everybody":    {of("a", "b"), func(t *turn) { t.promised("b", 10); t.open(of("a"), lease) }, 0},
		"adds the first":       {of("a"), func(t *turn) { t.promised("b", 10); t.open(of("a", "b"), lease) }, 0},
		"shorter pending":      {of("a", "b"), func(t *turn) { t.promised("b", 10); t.open(of("a", "b"), 900*time.Millisecond) }, at(10.9)},
		"longer pending":       {of("a", "b"), func(t *turn) { t.promised("b", 10); t.open(of("a", "b"), 9*time.Second) }, at(11.5)},
		"closed":               {of("a", "b"), func(t *turn) { t.promised("b", 10); t.open(of("a"), 1); t.Write.Open = false }, at(11.5)},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(12), c.electors)
			c.given(u)
			if got := u.beatsUntil(u.c); got != c.want {
				t.Errorf("%d, not %d: %v apart", got, c.want, got.Sub(c.want))
			}
		})
	}
}

// TestAuthority: the later of the arbiter's and the electors' word, and a margin
// before its end nothing may be done any more.
func TestAuthority(t *testing.T) {
	u := leadingA(at(12), of("a", "b"))
	u.promised("b", 10)
	if got := u.authority(u.c); got != at(11.5) {
		t.Errorf("by the electors: %v", got.Sub(origin))
	}
	u.Lead.ArbiterUntil = at(11)
	if got := u.authority(u.c); got != at(11.5) {
		t.Errorf("the electors' is later: %v", got.Sub(origin))
	}
	u.Lead.ArbiterUntil = at(20)
	if got := u.Authority(u.c); got != at(20) {
		t.Errorf("the arbiter's is later: %v", got.Sub(origin))
	}
	if epoch, until := u.Guard(u.c); epoch != 1 || until != at(19.5) {
		t.Errorf("the guard: epoch %d until %v", epoch, until.Sub(origin))
	}
	for now, want := range map[Instant]bool{at(19.5) - 1: true, at(19.5): false, at(19.5) + 1: false} {
		u.now = now
		if u.mayAct() != want {
			t.Errorf("%v before the end: may act is %v", at(20).Sub(now), !want)
		}
	}
	for p := NoLease; p < phases; p++ {
		u.Phase = p
		if epoch, _ := u.Guard(u.c); (epoch != 0) != (p == Leading) {
			t.Errorf("the guard in %s: epoch %d", p, epoch)
		}
		if held := u.Authority(u.c) != 0; held != p.Holds() {
			t.Errorf("authority in %s: %v", p, held)
		}
	}
}

// TestWaiver: the arbiter's authority is dropped only when every elector is
// reachable, their promises carry now, and no write is open or wanted.
func TestWaiver(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*turn)
		waits bool
	}{
		"all reachable":       {func(*turn) {}, false},
		"promoting":           {func(t *turn) { t.Phase = Promoting }, false},
		"fenced":              {func(t *turn) { t.Phase = Fenced }, true},
		"releasing":           {func(t *turn) { t.Phase = Releasing }, true},
		"one is silent":       {func(t *turn) { t.Peers[1].Reachable = false }, true},
		"another machine":     {func(t *turn) { t.Peers[1].Identity = "id-x" }, true},
		"a write is open":     {func(t *turn) { t.open(of("a", "b", "c"), 1500*time.Millisecond) }, true},
		"a renewal is due":    {func(t *turn) { t.Lead.RenewWanted = true }, true},
		"electors to look at": {func(t *turn) { t.Lead.RosterAt = t.now }, true},
		"nothing to waive":    {func(t *turn) { t.Lead.ArbiterUntil = 0 }, true},
		"promises too old":    {func(t *turn) { t.now = at(12.5) }, true},
		"promises almost so":  {func(t *turn) { t.now = at(12.5) - 1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := leadingA(at(12), of("a", "b", "c"))
			u.promised("b", 11.5)
			u.promised("c", 11.5)
			u.Lead.ArbiterUntil, u.Lead.RosterAt = at(40), Never
			c.given(u)
			want := u.now
			if c.waits {
				want = Never
			}
			if got := u.waiveAt(); got != want {
				t.Errorf("at %d, not %d", got, want)
			}
		})
	}
}

// TestNextStopHasItsOwnEnd: what was left of an authority when it was fenced bounds
// that stop alone, and not one of a later, shorter authority.
func TestNextStopHasItsOwnEnd(t *testing.T) {
	u := leadingA(at(12), of("a", "b"))
	u.Lead.ArbiterUntil = at(40)
	u.fence(BecauseStale)
	u.startStop()
	if u.Lead.Ends != at(40) {
		t.Fatalf("the first stop may take until %v", u.Lead.Ends.Sub(origin))
	}
	u.fenceAnswered(&Event{Kind: FenceDone, Op: u.Lead.Op, OK: true})
	u.promised("b", 12)
	u.promote(BecauseResumedByBeats)
	u.beginRelease(BecauseStepDown, "")
	if u.Lead.Ends != at(13.5) {
		t.Errorf("the second stop may take until %v, want %v", u.Lead.Ends.Sub(origin), at(13.5).Sub(origin))
	}
}
