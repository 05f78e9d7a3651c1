package register

import "cmp"

// Ballot numbers one attempt at deciding a value. No two attempts share one:
// Writer is unique to a process and a process never uses a Counter twice. The
// zero Ballot lies below every other.
type Ballot struct {
	Counter uint64
	Writer  string
}

// Compare orders ballots by Counter, then Writer.
func (b Ballot) Compare(other Ballot) int {
	if c := cmp.Compare(b.Counter, other.Counter); c != 0 {
		return c
	}
	return cmp.Compare(b.Writer, other.Writer)
}

// Below reports whether b is lower than other.
func (b Ballot) Below(other Ballot) bool { return b.Compare(other) < 0 }

// Highest returns the higher of two ballots.
func Highest(a, b Ballot) Ballot {
	if a.Below(b) {
		return b
	}
	return a
}

// Value is what a register holds. Version is unique to one write, whatever its
// record, so that equal records written twice are told apart. The zero Value
// stands for a key that was never written.
type Value struct {
	Version string
	Record  string
}

// Slot is an acceptor's memory of one key.
type Slot struct {
	Promised Ballot // it takes part in no ballot below this one
	Accepted Ballot // the ballot in which it accepted Value; zero: none
	Value    Value
}
