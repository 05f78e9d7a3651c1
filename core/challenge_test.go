package core

import (
	"testing"
	"time"
)

// followingB is the node a, following b at 3.7, which named a, b and c. The holder
// is free at 20 s, a's promise ends at 15 s. Now is 12 s.
func followingB() *turn {
	u := leadingA(at(12), of("b", "a", "c"))
	u.Phase, u.Lead = Following, Holding{}
	r := &u.View.Record
	r.Epoch, r.Revision, r.Holder, r.Session = 3, 7, "b", "b1"
	u.View.Heard, u.View.Top = r.Position(), r.Position()
	u.View.Holder, u.View.Session = "b", "b1"
	u.View.FreeAt, u.View.Since = at(20), at(5)
	u.Vow.Until = at(15)
	return u
}

// vacate makes the record vacant since 11 s.
func (t *turn) vacate(successor string) {
	r := &t.View.Record
	r.State, r.Holder, r.Session, r.Successor = Vacant, "", "", successor
	t.View.Holder, t.View.Session, t.View.Since = "", "", at(11)
	t.Phase = NoLease
}

// vanish makes reads find no record since 11 s.
func (t *turn) vanish() {
	t.View.Found, t.View.AbsentSince, t.Phase = FoundAbsent, at(11), NoLease
}

// unseen makes this a node that never saw a record, and its peers say the same when
// they are asked.
func (t *turn) unseen() {
	t.vanish()
	t.View.Record, t.View.Heard, t.View.Top, t.View.FreeAt = Record{}, Position{}, Position{}, Never
	t.Floor, t.Vow, t.View.Question = Floor{}, Vow{}, 7
	for i := range t.c.Peers {
		t.Peers[i] = Peer{Hello: Greeting{Known: true, Identity: "id-" + t.c.Peers[i], Answers: 7}}
	}
}

// TestFreeForTake: design 3.5, line by line.
func TestFreeForTake(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*turn)
		want  Instant
	}{
		"held":                    {func(*turn) {}, at(20)},
		"held, promised longer":   {func(t *turn) { t.Vow.Until = at(25) }, at(25)},
		"held, waived":            {func(t *turn) { t.View.FreeAt = at(5) }, at(15)},
		"held, bound unknown":     {func(t *turn) { t.View.FreeAt = Never }, Never},
		"held, older copy":        {func(t *turn) { t.View.Heard.Revision++ }, at(20)},
		"not healthy":             {func(t *turn) { t.Standing.Healthy = false }, Never},
		"paused":                  {func(t *turn) { t.Standing.Paused = true }, Never},
		"priority 0":              {func(t *turn) { t.Standing.Priority = 0 }, Never},
		"shutting down":           {func(t *turn) { t.Shutdown = true }, Never},
		"service runs":            {func(t *turn) { t.Lead.Service = Active }, Never},
		"service stops":           {func(t *turn) { t.Lead.Service = Stopping }, Never},
		"service failed here":     {func(t *turn) { t.StandAfter = at(50) }, at(50)},
		"has stepped down":        {func(t *turn) { t.GiveWay = at(50) }, at(50)},
		"store was asked just so": {func(t *turn) { t.Write.NotBefore = at(50) }, at(50)},
		"nothing read":            {func(t *turn) { t.View.Found = 0 }, Never},
		"corrupt":                 {func(t *turn) { t.View.Found = FoundCorrupt }, Never},
		"corrupt, was vacant":     {func(t *turn) { t.vacate(""); t.View.Found = FoundCorrupt }, Never},
		"newer format":            {func(t *turn) { t.vacate(""); t.View.Found = FoundNewer }, Never},

		"own older session":         {func(t *turn) { t.View.Session = "a0" }, at(20)},
		"own dead session":          {func(t *turn) { t.View.Session, t.c.Previous = "a0", "a0" }, at(12)},
		"own dead, has promised":    {func(t *turn) { t.View.Session, t.c.Previous, t.Vow.Made = "a0", "a0", true }, at(20)},
		"own dead, but not the one": {func(t *turn) { t.View.Session, t.c.Previous = "a0", "a00" }, at(20)},
		"this session":              {func(t *turn) { t.View.Session = "a1" }, Never},

		"vacant":               {func(t *turn) { t.vacate("") }, at(11)},
		"vacant, promised":     {func(t *turn) { t.vacate(""); t.Vow.Until = at(99); t.View.FreeAt = at(99) }, at(11)},
		"vacant for another":   {func(t *turn) { t.vacate("c") }, at(12.5)},
		"vacant for this one":  {func(t *turn) { t.vacate("a") }, at(11)},
		"stranger":             {func(t *turn) { t.View.Record.Electors = of("b", "c") }, Never},
		"stranger, vacant":     {func(t *turn) { t.vacate(""); t.View.Record.Electors = of("b", "c") }, Never},
		"stranger by identity": {func(t *turn) { t.View.Record.Electors = of("b", "a/x", "c") }, Never},
		"stranger, but admitted": {
			func(t *turn) { t.View.Record.Electors = of("b", "c"); t.Admitted = true }, at(20)},
		"no electors but the holder": {func(t *turn) { t.View.Record.Electors = of("b") }, at(20)},

		"new cluster":                  {func(t *turn) { t.unseen() }, at(11)},
		"a peer has not spoken":        {func(t *turn) { t.unseen(); t.Peers[1].Hello = Greeting{} }, at(41)},
		"a peer is there and silent":   {func(t *turn) { t.unseen(); t.Peers[1] = Peer{Connected: true} }, Never},
		"a peer spoke before":          {func(t *turn) { t.unseen(); t.Peers[1].Hello.Answers = 6 }, at(41)},
		"a peer spoke before, is here": {func(t *turn) { t.unseen(); t.Peers[1].Hello.Answers = 6; t.Peers[1].Connected = true }, Never},
		"a peer has a floor":           {func(t *turn) { t.unseen(); t.Peers[1].Hello.HasFloor = true }, Never},
		"a peer has, but admitted":     {func(t *turn) { t.unseen(); t.Peers[1].Hello.HasFloor = true; t.Admitted = true }, at(41)},
		"only heard of a record":       {func(t *turn) { t.unseen(); t.View.Heard = Position{1, 1} }, at(41)},
		"deleted":                      {func(t *turn) { t.vanish() }, at(41)},
		"deleted, promised longer":     {func(t *turn) { t.vanish(); t.Vow.Until = at(50) }, at(50)},
		"deleted, holder has longer":   {func(t *turn) { t.vanish(); t.View.FreeAt = at(60) }, at(60)},
		"deleted, lease was longer":    {func(t *turn) { t.vanish(); t.View.Record.ArbiterLease = time.Minute }, at(71)},
		"deleted, lease was shorter":   {func(t *turn) { t.vanish(); t.View.Record.ArbiterLease = time.Second }, at(41)},
		"deleted, was a stranger":      {func(t *turn) { t.vanish(); t.View.Record.Electors = of("b", "c") }, Never},
		"deleted, heard again since":   {func(t *turn) { t.vanish(); t.View.AbsentSince = 0 }, Never},
		"deleted, and not eligible":    {func(t *turn) { t.vanish(); t.Standing.Healthy = false }, Never},
		"deleted, service of old runs": {func(t *turn) { t.vanish(); t.Lead.Service = Stopping }, Never},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			c.given(u)
			if got := u.freeForTake(); got != c.want {
				t.Errorf("%v, not %v after the start", got.Sub(origin), c.want.Sub(origin))
			}
		})
	}
}

// TestTakeAt: not while a write is open, not as a holder, and not while the read
// is under way that brings the record to replace.
func TestTakeAt(t *testing.T) {
	for name, c := range map[string]struct {
		given func(*turn)
		want  Instant
	}{
		"following":              {func(*turn) {}, at(20)},
		"no lease":               {func(t *turn) { t.vacate("") }, at(11)},
		"a write is open":        {func(t *turn) { t.open(of("a"), time.Second) }, Never},
		"fenced":                 {func(t *turn) { t.Phase = Fenced }, Never},
		"older copy, being read": {func(t *turn) { t.now = at(30); t.View.Heard.Revision++; t.Read.Op = 4 }, Never},
		"older copy, to be read": {func(t *turn) { t.now = at(30); t.View.Heard.Revision++; t.Read.Wanted = true }, Never},
		"older copy, not yet":    {func(t *turn) { t.View.Heard.Revision++; t.Read.Op = 4 }, at(20)},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			c.given(u)
			if got := u.takeAt(); got != c.want {
				t.Errorf("%v, not %v after the start", got.Sub(origin), c.want.Sub(origin))
			}
		})
	}
}

// TestHoldBack: one step of a quarter interval for every candidate of higher rank
// that is at hand, and up to half a step of jitter.
func TestHoldBack(t *testing.T) {
	const step = 125 * time.Millisecond
	candidate := func(t *turn, i, priority int) {
		t.Peers[i].Connected = true
		t.Peers[i].Hello = Greeting{Known: true, Identity: "id-" + t.c.Peers[i], Eligible: true, Priority: priority}
	}
	for name, c := range map[string]struct {
		given func(*turn)
		want  time.Duration
	}{
		"nobody at hand":       {func(*turn) {}, 0},
		"same priority, later": {func(t *turn) { candidate(t, 1, 1) }, 0},
		"same, earlier id":     {func(t *turn) { candidate(t, 1, 1); t.c.Node = "d" }, step},
		"higher":               {func(t *turn) { candidate(t, 1, 2) }, step},
		"lower":                {func(t *turn) { candidate(t, 1, 1); t.Standing.Priority = 2 }, 0},
		"not connected":        {func(t *turn) { candidate(t, 1, 2); t.Peers[1].Connected = false }, 0},
		"not eligible":         {func(t *turn) { candidate(t, 1, 2); t.Peers[1].Hello.Eligible = false }, 0},
		"not an elector":       {func(t *turn) { candidate(t, 1, 2); t.View.Record.Electors = of("b", "a") }, 0},
		"its twin is":          {func(t *turn) { candidate(t, 1, 2); t.View.Record.Electors = of("b", "a", "c/x") }, 0},
		"no electors":          {func(t *turn) { candidate(t, 1, 2); t.View.Record.Electors = of("b") }, step},
		"the holder":           {func(t *turn) { candidate(t, 0, 2) }, 0},
		"the holder and one":   {func(t *turn) { candidate(t, 0, 2); candidate(t, 1, 2) }, step},
		"two": {func(t *turn) {
			candidate(t, 0, 2)
			candidate(t, 1, 2)
			t.View.Record.Electors = of("a", "b", "c")
		}, 2 * step},
		"successor":        {func(t *turn) { candidate(t, 1, 2); t.vacate("a") }, 0},
		"successor before": {func(t *turn) { candidate(t, 1, 2); t.View.Record.Successor = "a" }, step},
		"jitter":           {func(t *turn) { candidate(t, 1, 2); t.Jitter = 7 }, step + 7},
		"most jitter":      {func(t *turn) { candidate(t, 1, 2); t.Jitter = uint64(step/2) - 1 }, step + step/2 - 1},
		"jitter wraps":     {func(t *turn) { candidate(t, 1, 2); t.Jitter = uint64(step / 2) }, step},
		"jitter alone":     {func(t *turn) { t.Jitter = 7 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			c.given(u)
			if got := u.holdBack(); got != c.want {
				t.Errorf("%v, not %v", got, c.want)
			}
		})
	}
}

// TestProposedTake: the epoch is one above everything known.
func TestProposedTake(t *testing.T) {
	for name, c := range map[string]struct {
		given    func(*turn)
		epoch    Epoch
		revision Revision
		electors Roster
	}{
		"held":             {func(*turn) {}, 4, 8, of("a", "b", "c")},
		"above the floor":  {func(t *turn) { t.Floor.Epoch = 9 }, 10, 8, of("a", "b", "c")},
		"a peer's floor":   {func(t *turn) { t.Peers[1].Hello.Floor = 6 }, 7, 8, of("a", "b", "c")},
		"rolled back":      {func(t *turn) { t.View.Top = Position{5, 30} }, 6, 31, of("a", "b", "c")},
		"vacant":           {func(t *turn) { t.vacate("a") }, 4, 8, of("a", "b", "c")},
		"new cluster":      {func(t *turn) { t.unseen(); t.View.StoreDate = 1_700_000_000 }, 1, 1, of("a", "b", "c")},
		"deleted":          {func(t *turn) { t.vanish(); t.View.StoreDate = 1_700_000_000 }, 1_700_000_000, 8, of("a", "b", "c")},
		"deleted, no date": {func(t *turn) { t.vanish() }, 4, 8, of("a", "b", "c")},
		"deleted, far on":  {func(t *turn) { t.vanish(); t.View.StoreDate, t.Floor.Epoch = 50, 80 }, 81, 8, of("a", "b", "c")},
		"newcomer, held": {func(t *turn) {
			t.View.Record.Electors = of("b", "a")
			t.Peers[1].Hello = Greeting{Known: true, Identity: "id-c"}
		}, 4, 8, of("a", "b")},
		"newcomer, vacant": {func(t *turn) {
			t.vacate("")
			t.View.Record.Electors = of("b", "a")
			t.Peers[1].Hello = Greeting{Known: true, Identity: "id-c"}
		}, 4, 8, of("a", "b", "c")},
		"newcomer, by none": {func(t *turn) {
			t.View.Record.Electors = of("b")
			t.Peers[1].Hello = Greeting{Known: true, Identity: "id-c"}
		}, 4, 8, of("a", "b", "c")},
		"not configured": {func(t *turn) { t.View.Record.Electors = of("b", "a", "d") }, 4, 8, of("a", "b")},
	} {
		t.Run(name, func(t *testing.T) {
			u := followingB()
			c.given(u)
			r := u.proposedTake()
			if r.Position() != (Position{c.epoch, c.revision}) || r.Electors != c.electors {
				t.Errorf("%d.%d of %s, not %d.%d of %s", r.Epoch, r.Revision, electors(&r.Electors), c.epoch, c.revision, electors(&c.electors))
			}
			if r.Holder != "a" || r.Session != "a1" || r.State != Held || r.Successor != "" || r.Format != Format || r.Election != "orders" {
				t.Errorf("proposes %+v", r)
			}
		})
	}
}

// TestBackoff: twice as long each time, from a quarter of the interval to a third
// of the lease.
func TestBackoff(t *testing.T) {
	c := configOfA()
	for failures, want := range map[int]time.Duration{
		0: 125 * time.Millisecond, 1: 125 * time.Millisecond, 2: 250 * time.Millisecond, 3: 500 * time.Millisecond,
		6: 4 * time.Second, 7: 8 * time.Second, 8: 10 * time.Second, 9: 10 * time.Second, 1 << 30: 10 * time.Second,
	} {
		if got := c.backoff(failures); got != want {
			t.Errorf("after %d failures %v, not %v", failures, got, want)
		}
	}
	if got := new(Config).backoff(1); got <= 0 {
		t.Errorf("without timings a pause of %v", got)
	}
}
