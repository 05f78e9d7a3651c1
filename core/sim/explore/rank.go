package explore

import "slices"

// ranks writes numbers that are only ever compared with each other, or with each
// other plus one, and never by themselves: epochs, and revisions. What matters of
// them is which are equal, which are neighbours, and their order. So each is written
// as its rank, counted from 0, where a gap counts as one missing number however
// wide it is. A new number is the largest of some, plus one, which keeps all of
// these relations. That makes the elections finite, though nothing bounds their
// epochs.
type ranks struct {
	known  []uint64 // in order
	places []place
	rank   []byte
	zero   bool // it makes a difference that 1 is 0 plus one
}

// place is where in the form a number stands.
type place struct {
	at     int
	number uint64
}

func (r *ranks) reset(zero bool) {
	r.known, r.places, r.zero = append(r.known[:0], 0), r.places[:0], zero
}

// note takes note of a number that is to stand at a place.
func (r *ranks) note(at int, number uint64) {
	r.places = append(r.places, place{at, number})
	i := len(r.known)
	for i > 0 && r.known[i-1] > number {
		i--
	}
	if i == 0 || r.known[i-1] != number {
		r.known = slices.Insert(r.known, i, number)
	}
}

// write puts every number's rank in its place.
func (r *ranks) write(form []byte) {
	r.rank = append(r.rank[:0], 0)
	for i := 1; i < len(r.known); i++ {
		gap := min(2, r.known[i]-r.known[i-1])
		if i == 1 && !r.zero {
			gap = 2
		}
		r.rank = append(r.rank, r.rank[i-1]+byte(gap))
	}
	for _, p := range r.places {
		i := 0
		for r.known[i] != p.number {
			i++
		}
		form[p.at] = r.rank[i]
	}
}
