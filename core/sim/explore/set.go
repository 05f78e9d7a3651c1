package explore

// set holds hashes of states, in a table with open addressing. Two states of one
// hash would be taken for one: with 64 bits and fifty million states, one search in
// fifteen thousand would miss a state.
type set struct {
	table []uint64
	used  int
}

func newSet(size int) *set { return &set{table: make([]uint64, size)} }

// add adds a hash and reports whether it is new.
func (s *set) add(h uint64) bool {
	if h == 0 {
		h = 1
	}
	if s.used*5 >= len(s.table)*4 {
		s.grow()
	}
	if !s.place(h) {
		return false
	}
	s.used++
	return true
}

func (s *set) place(h uint64) bool {
	mask := uint64(len(s.table) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch s.table[i] {
		case 0:
			s.table[i] = h
			return true
		case h:
			return false
		}
	}
}

func (s *set) grow() {
	old := s.table
	s.table = make([]uint64, 2*len(old))
	for _, h := range old {
		if h != 0 {
			s.place(h)
		}
	}
}
