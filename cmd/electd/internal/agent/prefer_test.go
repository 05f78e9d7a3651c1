package agent

import (
	"testing"
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
		if due := new(preference).due(s, test.target, time.Now()); due != test.due {
			t.Errorf("%s: %v, want %v", name, due, test.due)
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
			if now := start.Add(at); p.due(leading(), "c", now) {
				p.asked("c", now)
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
	if p.due(follower, "c", start.Add(24*time.Hour)) {
		t.Error("a follower hands over")
	}
	if !p.due(leading(), "c", start.Add(24*time.Hour+time.Second)) {
		t.Error("c has led meanwhile and is not asked again")
	}
}
