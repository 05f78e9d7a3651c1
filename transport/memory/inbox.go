package memory

import (
	"time"

	"github.com/electd/electd/core"
)

// arrival is something that happens at one node at one instant: a message
// arrives, or (if review is not zero) its connection to peer is looked at.
type arrival struct {
	due      time.Time
	sequence uint64 // order among those due at the same instant
	peer     string
	message  core.Message
	review   uint64
}

// inbox is a heap of arrivals, the earliest first.
type inbox []arrival

func (b inbox) Len() int      { return len(b) }
func (b inbox) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b inbox) Less(i, j int) bool {
	if !b[i].due.Equal(b[j].due) {
		return b[i].due.Before(b[j].due)
	}
	return b[i].sequence < b[j].sequence
}
func (b *inbox) Push(x any) { *b = append(*b, x.(arrival)) }
func (b *inbox) Pop() any {
	last := len(*b) - 1
	x := (*b)[last]
	(*b)[last] = arrival{}
	*b = (*b)[:last]
	return x
}
