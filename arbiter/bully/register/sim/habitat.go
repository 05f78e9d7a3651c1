package sim

import (
	"math/rand/v2"
	"slices"
)

// What follows is not ours and is used by nothing: it models how Habitat's
// Supervisors elect, after its documentation (docs.chef.io/habitat/sup_elections),
// so that a run can show what goes wrong. There is one rumor an election, with a
// candidate and the votes collected for it. Whoever meets a rumor of a more
// suitable candidate hands its votes over; a candidate that holds the votes of
// everybody it holds for alive, and sees enough of them alive, has won. Nothing
// is promised, nothing is persisted and nothing expires: a lost election is only
// noticed when the rumors meet.

// rumor is one member's view of the election.
type rumor struct {
	candidate   int
	suitability int
	term        int
	votes       []int
	finished    bool
}

// member is one supervisor.
type member struct {
	id    int
	view  rumor
	alive []bool // whom it holds for alive
	gone  []bool // whom it counts no more: departed
}

// merge takes in another member's rumor, by the documented rule.
func (r rumor) merge(other rumor) rumor {
	better := other.suitability > r.suitability ||
		other.suitability == r.suitability && other.candidate > r.candidate
	switch {
	case other.finished && other.term >= r.term:
		return other
	case r.finished && other.term == r.term, other.term < r.term:
		return r
	case other.term > r.term:
		return other
	case better:
		return other.withVotes(r.votes)
	}
	return r.withVotes(other.votes)
}

func (r rumor) withVotes(votes []int) rumor {
	all := append(slices.Clone(r.votes), votes...)
	slices.Sort(all)
	r.votes = slices.Compact(all)
	return r
}

// quorum reports whether a member sees enough others alive to elect. Half is
// enough (the documentation warns that both halves of an even split elect), and
// whoever departed no longer counts.
func (m *member) quorum() bool {
	alive, counted := 0, 0
	for i := range m.alive {
		if !m.gone[i] {
			counted++
			if m.alive[i] {
				alive++
			}
		}
	}
	return 2*alive >= counted
}

// turn lets a member look at its own view of the world.
func (m *member) turn() {
	leader := m.view.candidate
	switch {
	case m.view.finished && !m.alive[leader]: // the leader is gone: elect again
		m.view = rumor{candidate: m.id, suitability: 0, term: m.view.term + 1, votes: []int{m.id}}
	case !m.view.finished && leader == m.id && m.quorum():
		for i := range m.alive {
			if m.alive[i] && !slices.Contains(m.view.votes, i) {
				return
			}
		}
		m.view.finished = true
	}
}

// habitatLeaders plays the schedule of splits with gossip rounds in between and
// returns the largest number of members that held themselves for the leader at
// one time.
func habitatLeaders(random *rand.Rand, size int, splits []func(int) int) int {
	members := make([]*member, size)
	for i := range members {
		members[i] = &member{id: i, view: rumor{candidate: i, votes: []int{i}}, alive: make([]bool, size), gone: make([]bool, size)}
	}
	most := 0
	for _, group := range splits {
		for _, m := range members {
			for i := range m.alive {
				m.alive[i] = group == nil || group(i) == group(m.id)
			}
		}
		for range 20 * size {
			from, to := members[random.IntN(size)], members[random.IntN(size)]
			if to.alive[from.id] {
				to.view = to.view.merge(from.view)
			}
			for _, m := range members {
				m.turn()
			}
			leaders := 0
			for _, m := range members {
				if m.view.finished && m.view.candidate == m.id {
					leaders++
				}
			}
			most = max(most, leaders)
		}
	}
	return most
}
