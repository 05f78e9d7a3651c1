package core

// Epoch is the number of a holding. It rises by one at every hand-off and never
// falls; to a protected resource it is the fencing token. Zero is no epoch.
type Epoch uint64

// Revision counts the writes to a record. It makes every body unique and orders
// versions within an epoch.
type Revision uint64
