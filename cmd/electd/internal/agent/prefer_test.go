package agent

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/electd/electd/core/node"
)

// leading is the status of a leader with one elector, c, that may take.
func leading() node.Status {
	return node.Status{Leading: true, Leader: "a", Peers: []node.PeerStatus{
		{Node: "b", Connected: true, Acknowledges: true, Eligible: true},
		{Node: "c", Connected: true, Acknowledges: true, Eligible: true, Elector: true},
	}}
}

func TestWhoIsHandedOverTo(t *testing.T) {
	for name, test := range map[string]struct {
		target string
		change func(*node.Status)
		due    bool
	}{
		"an elector that may stand": {"c", func(*node.Status) {}, true},
		"nobody":                    {"", func(*node.Status) {}, false},
		"not an elector":            {"b", func(*node.Status) {}, false},
		"not a peer":                {"d", func(*node.Status) {}, false},
		"not eligible":              {"c", func(s *node.Status) { s.Peers[1].Eligible = false }, false},
		"paused":                    {"c", func(s *node.Status) { s.Peers[1].Paused = true }, false},
		"silent":                    {"c", func(s *node.Status) { s.Peers[1].Acknowledges = false }, false},
		"by a paused leader":        {"c", func(s *node.Status) { s.Standing.Paused = true }, false},
		"by a follower":             {"c", func(s *node.Status) { s.Leading, s.Leader = false, "b" }, false},
	} {
		s := leading()
		test.change(&s)
		want := ""
		if test.due {
			want = test.target
		}
		if due := new(preference).due(s, []string{test.target}, time.Now()); due != want {
			t.Errorf("%s: %q, want %q", name, due, want)
		}
	}
}

// A target that does not take is asked ever more seldom; one that did is asked
// again whenever the arbiter wants it.
func TestTargetThatDoesNotTakeIsAskedSeldom(t *testing.T) {
	var p preference
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	asked := func(from, to time.Duration) (times int) {
		for at := from; at < to; at += reportEvery {
			if now := start.Add(at); p.due(leading(), []string{"c"}, now) == "c" {
				p.note("c", now)
				times++
			}
		}
		return times
	}
	if n := asked(0, 10*time.Minute); n != 4 {
		t.Errorf("asked %d times in ten minutes, want at 0, 1, 3 and 7", n)
	}
	if n := asked(10*time.Minute, 24*time.Hour); n < 20 || n > 28 {
		t.Errorf("asked %d times in the rest of a day, want about once an hour", n)
	}
	follower := node.Status{Leader: "c"}
	if p.due(follower, []string{"c"}, start.Add(24*time.Hour)) != "" {
		t.Error("a follower hands over")
	}
	if p.due(leading(), []string{"c"}, start.Add(24*time.Hour+time.Second)) != "c" {
		t.Error("c has led meanwhile and is not asked again")
	}
}

// The next one is handed over to if the best may not stand, or did not take.
func TestNextBestIsHandedOverTo(t *testing.T) {
	now := time.Now()
	s := leading()
	s.Peers[0].Elector = true
	best := []string{"c", "b"}
	var p preference
	if got := p.due(s, best, now); got != "c" {
		t.Errorf("both may take: %q", got)
	}
	p.note("c", now)
	if got := p.due(s, best, now); got != "b" {
		t.Errorf("c did not take: %q", got)
	}
	p.note("b", now)
	if got := p.due(s, best, now); got != "" {
		t.Errorf("neither took: %q", got)
	}
	p.led("c")
	if got := p.due(s, best, now); got != "c" {
		t.Errorf("c has led since: %q", got)
	}
	s.Peers[1].Eligible = false
	if got := new(preference).due(s, best, now); got != "b" {
		t.Errorf("c may not stand: %q", got)
	}
}

// A target that leads between two reports, if only for a moment, has taken.
func TestTargetThatLedForAMomentHasTaken(t *testing.T) {
	for name, test := range map[string]struct {
		then func(after time.Duration) node.Status
		want bool
	}{
		"leads for a moment": {func(after time.Duration) node.Status {
			if after > time.Second && after < 1100*time.Millisecond {
				return node.Status{Leader: "c"}
			}
			return node.Status{}
		}, true},
		"nobody takes":        {func(time.Duration) node.Status { return node.Status{} }, false},
		"another one takes":   {func(time.Duration) node.Status { return node.Status{Leader: "b"} }, false},
		"this one takes back": {func(time.Duration) node.Status { return node.Status{Leader: "a", Leading: true} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				if got := leads(t.Context(), func() node.Status { return test.then(time.Since(start)) }, "c"); got != test.want {
					t.Errorf("%v, want %v", got, test.want)
				}
			})
		})
	}
}
