package bully

import (
	"slices"
	"sync"
	"time"

	"github.com/electd/electd/arbiter/bully/gossip"
)

// ranks is what is known of the voters: how suitable they are, where they vote,
// and whether they seem alive. It decides only who stands first.
type ranks struct {
	voters []string

	mu    sync.Mutex
	known map[string]*standing
}

type standing struct {
	suitability int
	votes       string    // address, from the gossip
	gossiped    bool      // the gossip holds it for alive
	heard       time.Time // when it last answered us directly
	since       time.Time // since when it has been alive without a gap
}

func newRanks(voters []string) *ranks {
	r := &ranks{voters: voters, known: map[string]*standing{}}
	for _, v := range voters {
		r.known[v] = &standing{}
	}
	return r
}

// heardFor is how long a direct answer counts as a sign of life.
const heardFor = 5 * time.Second

func (s *standing) alive(now time.Time) bool {
	return s.gossiped || now.Sub(s.heard) < heardFor
}

// update changes what is known of a voter; other nodes are not ranked.
func (r *ranks) update(node string, now time.Time, change func(*standing)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.known[node]
	if s == nil {
		return
	}
	before := s.alive(now)
	change(s)
	if !before {
		s.since = now
	}
}

func (r *ranks) member(node string, m gossip.Meta, now time.Time) {
	r.update(node, now, func(s *standing) {
		s.suitability, s.gossiped = m.Suitability, true
		if m.Votes != "" {
			s.votes = m.Votes
		}
	})
}

func (r *ranks) gone(node string, now time.Time) {
	r.update(node, now, func(s *standing) { s.gossiped, s.heard = false, time.Time{} })
}

func (r *ranks) heard(node string, suitability int, now time.Time) {
	r.update(node, now, func(s *standing) { s.suitability, s.heard = suitability, now })
}

func (r *ranks) address(node string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.known[node]; s != nil {
		return s.votes
	}
	return ""
}

// above returns the voters that seem alive and rank higher than self, best first.
func (r *ranks) above(self gossip.Rank, now time.Time) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var higher []gossip.Rank
	for _, v := range r.voters {
		rank := gossip.Rank{Suitability: r.known[v].suitability, Node: v}
		if v != self.Node && r.known[v].alive(now) && rank.Compare(self) > 0 {
			higher = append(higher, rank)
		}
	}
	slices.SortFunc(higher, func(a, b gossip.Rank) int { return b.Compare(a) })
	nodes := make([]string, len(higher))
	for i, h := range higher {
		nodes[i] = h.Node
	}
	return nodes
}

// passOver notes that self took although others rank higher: those that are alive
// could have taken, and count as alive from now on only.
func (r *ranks) passOver(self gossip.Rank, now time.Time) {
	for _, node := range r.above(self, now) {
		r.update(node, now, func(s *standing) { s.since = now })
	}
}

// steady reports whether a voter has been alive for at least d.
func (r *ranks) steady(node string, d time.Duration, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.known[node]
	return s != nil && s.alive(now) && now.Sub(s.since) >= d
}
