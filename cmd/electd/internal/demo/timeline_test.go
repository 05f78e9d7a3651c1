package demo

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/electd/electd/cmd/electd/internal/agent"
	"github.com/electd/electd/core"
)

// said is one report and who made it.
type said struct {
	node   string
	report agent.GuardReport
}

// drawStream draws what one node says in order: every answer replaces the one
// before a little after it was decided on, and ends by itself at some instant,
// which may have passed.
func drawStream(t *rapid.T, node string) []said {
	var out []said
	now := core.Instant(0)
	for range rapid.IntRange(0, 8).Draw(t, "reports of "+node) {
		now += core.Instant(rapid.IntRange(0, 12).Draw(t, "pause"))
		r := agent.GuardReport{From: now}
		if epoch := rapid.IntRange(0, 3).Draw(t, "epoch"); epoch > 0 {
			r.Epoch, r.Until = core.Epoch(epoch), now+core.Instant(rapid.IntRange(-3, 25).Draw(t, "lasts"))
		}
		now += core.Instant(rapid.IntRange(0, 2).Draw(t, "step"))
		r.Replaced = now
		out = append(out, said{node, r})
	}
	return out
}

// mix interleaves streams as lines that are read at different speeds do.
func mix(t *rapid.T, streams ...[]said) []said {
	var out []said
	for {
		var left []int
		for i, s := range streams {
			if len(s) > 0 {
				left = append(left, i)
			}
		}
		if len(left) == 0 {
			return out
		}
		i := rapid.SampledFrom(left).Draw(t, "next line")
		out, streams[i] = append(out, streams[i][0]), streams[i][1:]
	}
}

// mayActAt is the oracle: whether a node may have acted at an instant by what it
// said, report by report.
func mayActAt(stream []said, at core.Instant) bool {
	for i, s := range stream {
		until := s.report.Until
		if i+1 < len(stream) {
			until = min(until, stream[i+1].report.Replaced)
		}
		if s.report.Epoch != 0 && s.report.From <= at && at < until {
			return true
		}
	}
	return false
}

func TestTimelineAgreesWithAnOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		streams := [][]said{drawStream(t, "a"), drawStream(t, "b"), drawStream(t, "c")}
		after := core.Instant(rapid.IntRange(0, 60).Draw(t, "after"))
		line := newTimeline()
		for _, s := range mix(t, streams[0], streams[1], streams[2]) {
			line.report(s.node, s.report)
		}
		const end = 200
		overlap, shut := time.Duration(0), time.Duration(0)
		for at := after; at < end; at++ {
			open := 0
			for _, stream := range streams {
				if mayActAt(stream, at) {
					open++
				}
			}
			if open > 1 {
				overlap++
			}
			if open == 0 {
				shut++
			}
			if leader, _ := line.leader(at); (leader != "") != (open > 0) {
				t.Fatalf("at %d %q leads, but %d guards are open", at, leader, open)
			}
		}
		if got := line.overlap(after); got != overlap {
			t.Errorf("overlap after %d is %d, want %d", after, got, overlap)
		}
		if got := line.shut(after, end); got != shut {
			t.Errorf("shut for %d after %d, want %d", got, after, shut)
		}
	})
}

// opened is a report of an answer that replaced the one before at once.
func opened(epoch core.Epoch, from, until core.Instant) agent.GuardReport {
	return agent.GuardReport{Epoch: epoch, From: from, Until: until, Replaced: from}
}

func TestTimeline(t *testing.T) {
	tests := map[string]struct {
		reports []said
		died    map[string]core.Instant
		overlap time.Duration
	}{
		"one after the other": {
			reports: []said{{"a", opened(1, 0, 10)}, {"b", opened(2, 10, 20)}},
		},
		"both at once": {
			reports: []said{{"a", opened(1, 0, 10)}, {"b", opened(2, 7, 20)}},
			overlap: 3,
		},
		"a frozen leader's last word counts until it ends by itself": {
			reports: []said{{"a", opened(1, 0, 10)}, {"a", opened(1, 5, 15)}, {"b", opened(2, 12, 20)}},
			overlap: 3,
		},
		"a leader killed before the other one began": {
			reports: []said{{"a", opened(1, 0, 100)}, {"b", opened(2, 50, 60)}},
			died:    map[string]core.Instant{"a": 50},
		},
		"a leader killed too late": {
			reports: []said{{"a", opened(1, 0, 100)}, {"b", opened(2, 50, 60)}},
			died:    map[string]core.Instant{"a": 51},
			overlap: 1,
		},
		"an answer cut short was good until then": {
			reports: []said{{"a", opened(1, 0, 100)}, {"b", opened(2, 10, 20)}, {"a", opened(1, 15, 12)}},
			overlap: 5,
		},
		"an answer is good until it is replaced, not until that was decided": {
			reports: []said{{"a", opened(1, 0, 100)}, {"a", agent.GuardReport{From: 10, Replaced: 14}}, {"b", opened(2, 12, 20)}},
			overlap: 2,
		},
		"told late": {
			reports: []said{{"b", opened(2, 12, 20)}, {"b", opened(2, 18, 40)}, {"a", opened(1, 0, 15)}},
			overlap: 3,
		},
		"two overlaps add up": {
			reports: []said{{"a", opened(1, 0, 10)}, {"b", opened(2, 8, 20)}, {"a", opened(3, 19, 30)}},
			overlap: 3,
		},
		"a node does not overlap with itself": {
			reports: []said{{"a", opened(1, 0, 10)}, {"a", opened(2, 5, 20)}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			line := newTimeline()
			for _, s := range test.reports {
				line.report(s.node, s.report)
			}
			for node, at := range test.died {
				line.died(node, at)
			}
			if got := line.overlap(0); got != test.overlap {
				t.Errorf("overlap %d, want %d; spans %+v", got, test.overlap, line.spans)
			}
		})
	}
}

func TestALostReportIsNotForgotten(t *testing.T) {
	line := newTimeline()
	lost := errors.New("lost")
	line.lose(lost)
	line.lose(errors.New("another"))
	if err := line.complete(); err != lost {
		t.Errorf("lost: %v, want %v", err, lost)
	}
}
