package explore

// ranks writes numbers that are only ever compared with each other, or with each
// other plus one, and never by themselves: epochs, and revisions. What matters of
// them is which are equal, which are neighbours, and their order. So each is written
// as its rank, counted from 0, where a gap counts as one missing number however
// wide it is. A new number is the largest of some, plus one, which keeps all of
// these relations. That makes the elections finite, though nothing bounds their
// epochs.
type ranks struct {
	known  []uint64 // each once
	rank   []byte   // of each known
	places []place
	zero   bool // it makes a difference that 1 is 0 plus one
}

// place is where in the form a number stands.
type place struct{ at, known int }

func (r *ranks) reset(zero bool) {
	r.known, r.places, r.zero = append(r.known[:0], 0), r.places[:0], zero
}

// note takes note of a number that is to stand at a place.
func (r *ranks) note(at int, number uint64) {
	for i, n := range r.known {
		if n == number {
			r.places = append(r.places, place{at, i})
			return
		}
	}
	r.places = append(r.places, place{at, len(r.known)})
	r.known = append(r.known, number)
}

// write puts every number's rank in its place.
func (r *ranks) write(form []byte) {
	r.rank = append(r.rank[:0], make([]byte, len(r.known))...)
	for below, rank := 0, byte(0); ; {
		next := r.after(below)
		if next < 0 {
			break
		}
		gap := min(2, r.known[next]-r.known[below])
		if below == 0 && !r.zero {
			gap = 2
		}
		rank += byte(gap)
		r.rank[next], below = rank, next
	}
	for _, p := range r.places {
		form[p.at] = r.rank[p.known]
	}
}

// after returns which known number is the next higher one, or -1.
func (r *ranks) after(i int) int {
	next := -1
	for k, n := range r.known {
		if n > r.known[i] && (next < 0 || n < r.known[next]) {
			next = k
		}
	}
	return next
}
