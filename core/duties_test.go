package core

import (
	"testing"
	"time"
)

// TestFreeAt: what bounds the holder's arbiter authority (design 3.4): a newer
// position replaces, for the same one the smaller stands, an older one is
// ignored, and another version of the same position replaces.
func TestFreeAt(t *testing.T) {
	heartbeat := func(revision Revision, version Version, left time.Duration) func(*turn) {
		return func(t *turn) {
			t.hear(&Message{
				Kind: Heartbeat, Node: "b", Identity: "id-b", Session: "b1",
				Epoch: 3, Revision: revision, Version: version, ArbiterLeft: left,
			})
		}
	}
	read := func(revision Revision, version Version, age time.Duration) func(*turn) {
		return func(t *turn) {
			r := t.View.Record
			r.Revision = revision
			t.seeRecord(&Event{Kind: ReadDone, Record: &r, Version: version, Age: age})
		}
	}
	for name, c := range map[string]struct {
		given func(*turn)
		want  Instant
	}{
		"heartbeat, newer":              {heartbeat(8, "v8", 30*time.Second), at(42)},
		"heartbeat, newer, waived":      {heartbeat(8, "v8", 0), at(12)},
		"heartbeat, same, waived":       {heartbeat(7, "v7", 0), at(12)},
		"heartbeat, same, later":        {heartbeat(7, "v7", 30*time.Second), at(20)},
		"heartbeat, older":              {heartbeat(6, "v6", 0), at(20)},
		"heartbeat, same, other tag":    {heartbeat(7, "vx", 30*time.Second), at(42)},
		"read, newer":                   {read(8, "v8", 0), at(42)},
		"read, newer, of some age":      {read(8, "v8", 10*time.Second), at(32)},
		"read, same, later":             {read(7, "v7", 0), at(20)},
		"read, same, of some age":       {read(7, "v7", 25*time.Second), at(17)},
		"read, same, very old":          {read(7, "v7", time.Hour), at(12).Add(30*time.Second - time.Hour)},
		"read, older":                   {read(6, "v6", time.Hour), at(20)},
		"read, same, other tag (torn)":  {read(7, "vx", 0), at(42)},
		"read, of a longer lease":       {func(t *turn) { t.View.Record.ArbiterLease = time.Minute; read(8, "v8", 0)(t) }, at(72)},
		"read, of a shorter lease":      {func(t *turn) { t.View.Record.ArbiterLease = time.Second; read(8, "v8", 0)(t) }, at(13)},
		"heartbeat after it, same":      {func(t *turn) { read(8, "v8", 0)(t); heartbeat(8, "v8", time.Second)(t) }, at(13)},
		"read after a waiver, the same": {func(t *turn) { heartbeat(8, "v8", 0)(t); read(8, "v8", 0)(t) }, at(12)},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			u.View.Version = "v7"
			c.given(u)
			if u.View.FreeAt != c.want {
				t.Errorf("free at %v, not %v after the start", u.View.FreeAt.Sub(origin), c.want.Sub(origin))
			}
		})
	}
}

// TestStartUpPromise: what a predecessor may have promised binds this session, by
// the heartbeat lease of the record.
func TestStartUpPromise(t *testing.T) {
	for _, c := range []struct{ until, want Instant }{{0, at(12.5)}, {at(12), at(12.5)}, {at(15), at(15)}} {
		u := followingB()
		u.Started, u.Vow.Until = at(11), c.until
		r := u.View.Record
		u.seeRecord(&Event{Kind: ReadDone, Record: &r, Version: "v7"})
		if u.Vow.Until != c.want {
			t.Errorf("promised until %v, not %v after the start", u.Vow.Until.Sub(origin), c.want.Sub(origin))
		}
	}
}

// duties are cases of one function that says when something is due.
type duties map[string]struct {
	given func(*turn)
	want  Instant
}

func (d duties) check(t *testing.T, given func() *turn, when func(*turn) Instant) {
	t.Helper()
	for name, c := range d {
		t.Run(name, func(t *testing.T) {
			u := given()
			c.given(u)
			if got := when(u); got != c.want {
				t.Errorf("%v, not %v after the start", got.Sub(origin), c.want.Sub(origin))
			}
		})
	}
}

// TestResumeAt: a fence is left only when the service has stopped, the record is
// this session's, nobody knows a higher epoch, and there is authority again.
func TestResumeAt(t *testing.T) {
	duties{
		"by a write":               {func(*turn) {}, at(12)},
		"by promises":              {func(t *turn) { t.Lead.ArbiterUntil = 0; t.promised("b", 11.5) }, at(12)},
		"no authority":             {func(t *turn) { t.Lead.ArbiterUntil = 0 }, Never},
		"less than the margin":     {func(t *turn) { t.Lead.ArbiterUntil = at(12.5) }, Never},
		"by promises, in release":  {func(t *turn) { t.Lead.ArbiterUntil = 0; t.promised("b", 11.5); t.Lead.BeatsVoid = true }, Never},
		"service runs":             {func(t *turn) { t.Lead.Service = Active }, Never},
		"service is being stopped": {func(t *turn) { t.Lead.Service = Stopping }, Never},
		"stale at this epoch":      {func(t *turn) { t.Lead.StaleEpoch = 1 }, Never},
		"stale above":              {func(t *turn) { t.Lead.StaleEpoch = 9 }, Never},
		"another's record":         {func(t *turn) { t.View.Session = "b1" }, Never},
		"releasing":                {func(t *turn) { t.Phase = Releasing }, Never},
		"leading":                  {func(t *turn) { t.Phase = Leading }, Never},
	}.check(t, func() *turn {
		u := leadingA(at(12), of("a", "b"))
		u.Phase, u.Lead.Service, u.Lead.ArbiterUntil = Fenced, Passive, at(40)
		return u
	}, (*turn).resumeAt)
}

// TestRenewAt: when a holder writes to the arbiter (design 3.3).
func TestRenewAt(t *testing.T) {
	duties{
		"healthy":                {func(*turn) {}, Never},
		"asked for":              {func(t *turn) { t.Lead.RenewWanted = true }, at(12)},
		"asked for, pausing":     {func(t *turn) { t.Lead.RenewWanted, t.Write.NotBefore = true, at(14) }, at(14)},
		"a write is open":        {func(t *turn) { t.Lead.RenewWanted = true; t.open(of("a"), time.Second) }, Never},
		"one is silent":          {func(t *turn) { t.Peers[0].Reachable = false }, at(25)},
		"nobody else":            {func(t *turn) { t.View.Record.Electors = of("a") }, at(20)},
		"promoting, nobody else": {func(t *turn) { t.Phase = Promoting; t.View.Record.Electors = of("a") }, at(20)},
		"fenced, no authority":   {func(t *turn) { t.Phase, t.Lead.ArbiterUntil, t.Write.NotBefore = Fenced, 0, at(13) }, at(13)},
		"fenced, stale":          {func(t *turn) { t.Phase, t.Lead.ArbiterUntil, t.Lead.StaleEpoch = Fenced, 0, 1 }, Never},
		"epoch not on disk":      {func(t *turn) { t.Lead.RenewWanted, t.Floor.Saved = true, 0 }, Never},
		"releasing":              {func(t *turn) { t.Phase = Releasing; t.Lead.RenewWanted = true }, Never},
		"following":              {func(t *turn) { t.Phase = Following; t.Lead.RenewWanted = true }, Never},
	}.check(t, func() *turn {
		u := leadingA(at(12), of("a", "b"))
		u.promised("b", 11.6)
		u.Peers[0].Sent = 0 // its promises are over, though it answers
		u.Lead.ArbiterUntil, u.Lead.WrittenAt = at(40), at(10)
		return u
	}, (*turn).renewAt)
}

// TestReleaseAt: the record is written vacant only when the service is over.
func TestReleaseAt(t *testing.T) {
	duties{
		"stopped":               {func(*turn) {}, at(13)},
		"service runs":          {func(t *turn) { t.Lead.Service = Active }, Never},
		"service stops":         {func(t *turn) { t.Lead.Service = Stopping }, Never},
		"another write is open": {func(t *turn) { t.open(of("a"), time.Second) }, Never},
		"epoch not on disk":     {func(t *turn) { t.Floor.Saved = 0 }, Never},
		"fenced":                {func(t *turn) { t.Phase = Fenced }, Never},
	}.check(t, func() *turn {
		u := leadingA(at(12), of("a", "b"))
		u.Phase, u.Lead.Service, u.Write.NotBefore = Releasing, Passive, at(13)
		return u
	}, (*turn).releaseAt)
}

// TestLeadAt: the service is promoted and the epoch on disk.
func TestLeadAt(t *testing.T) {
	duties{
		"promoted and saved": {func(*turn) {}, at(12)},
		"not promoted":       {func(t *turn) { t.Lead.Promoted = false }, Never},
		"not saved":          {func(t *turn) { t.Floor.Saved = 0 }, Never},
		"fenced meanwhile":   {func(t *turn) { t.Phase = Fenced }, Never},
	}.check(t, func() *turn {
		u := leadingA(at(12), of("a", "b"))
		u.Phase, u.Lead.Promoted = Promoting, true
		return u
	}, (*turn).leadAt)
}

// TestRetryAt: an open write is attempted again when it has been looked up; a
// take only where it might be started at all.
func TestRetryAt(t *testing.T) {
	duties{
		"looked up":         {func(*turn) {}, at(20)},
		"free already":      {func(t *turn) { t.View.FreeAt, t.Vow.Until = at(1), at(2) }, at(13)},
		"promised since":    {func(t *turn) { t.Vow.Until = at(30) }, at(30)},
		"not eligible":      {func(t *turn) { t.Standing.Paused = true }, Never},
		"in flight":         {func(t *turn) { t.Write.Op = 4 }, Never},
		"being looked up":   {func(t *turn) { t.Read.Op = 4 }, Never},
		"to be looked up":   {func(t *turn) { t.Read.Wanted = true }, Never},
		"closed":            {func(t *turn) { t.Write.Open = false }, Never},
		"a renewal":         {func(t *turn) { t.Phase, t.Write.Intent = Leading, Renew }, at(13)},
		"a holder's retake": {func(t *turn) { t.Phase = Fenced }, at(13)},
	}.check(t, func() *turn {
		u := followingB()
		u.open(of("a", "b", "c"), time.Second)
		u.Phase, u.Write.Intent, u.Write.NotBefore = Taking, Take, at(13)
		return u
	}, (*turn).retryAt)
}

// TestLeaveAt: who is not healthy hands over, if somebody can take or nobody is known.
func TestLeaveAt(t *testing.T) {
	duties{
		"healthy":            {func(t *turn) { t.Standing.Healthy = true }, Never},
		"a candidate":        {func(*turn) {}, at(12)},
		"fenced":             {func(t *turn) { t.Phase = Fenced }, at(12)},
		"not reachable":      {func(t *turn) { t.Peers[0].Reachable = false }, Never},
		"not eligible":       {func(t *turn) { t.Peers[0].Hello.Eligible = false }, Never},
		"paused":             {func(t *turn) { t.Peers[0].Hello.Paused = true }, Never},
		"another machine":    {func(t *turn) { t.Peers[0].Hello.Identity = "id-x" }, Never},
		"nobody is known":    {func(t *turn) { t.View.Record.Electors = of("a"); t.Peers[0] = Peer{} }, at(12)},
		"is releasing":       {func(t *turn) { t.Phase = Releasing }, Never},
		"follows":            {func(t *turn) { t.Phase = Following }, Never},
		"this one is paused": {func(t *turn) { t.Standing = Standing{Healthy: true, Paused: true, Priority: 1} }, Never},
	}.check(t, func() *turn {
		u := leadingA(at(12), of("a", "b"))
		u.promised("b", 11.5)
		u.Peers[0].Hello = Greeting{Known: true, Identity: "id-b", Eligible: true, Priority: 1}
		u.Standing.Healthy = false
		return u
	}, (*turn).leaveAt)
}
