package gossip

import "cmp"

// Rank orders nodes for the Bully order: the higher suitability first, among
// equals the greater node id.
type Rank struct {
	Suitability int
	Node        string
}

// Compare is positive if r stands before other.
func (r Rank) Compare(other Rank) int {
	if c := cmp.Compare(r.Suitability, other.Suitability); c != 0 {
		return c
	}
	return cmp.Compare(r.Node, other.Node)
}
