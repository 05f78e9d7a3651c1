package core

// Epoch is the number of a holding. It rises by one at every hand-off and never
// falls; to a protected resource it is the fencing token. Zero is no epoch.
type Epoch uint64

// Revision counts the writes to a record. It makes every body unique and orders
// versions within an epoch.
type Revision uint64

// Position orders everything ever known about an election's record: by epoch,
// then by revision.
type Position struct {
	Epoch    Epoch
	Revision Revision
}

// After reports whether p is newer than q.
func (p Position) After(q Position) bool {
	if p.Epoch != q.Epoch {
		return p.Epoch > q.Epoch
	}
	return p.Revision > q.Revision
}
