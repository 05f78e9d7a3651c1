package core

// Phase is where a node stands in an election (design 3.7).
type Phase uint8

// The phases. A node acts as leader only in Leading, and there only while the
// clock says so.
const (
	NoLease   Phase = iota + 1 // nobody is known to hold the lease
	Following                  // somebody else holds it
	Taking                     // a take of mine is unresolved
	Promoting                  // the lease is won; the service is brought up to date
	Leading                    // the guard is open
	Fenced                     // the record may still be mine, the authority is not
	Releasing                  // fence, stop, write vacant
	phases
)

// Holds reports whether a node in this phase has the record in its own name, as
// far as it knows.
func (p Phase) Holds() bool { return p >= Promoting && p <= Releasing }

var phaseNames = [phases]string{
	NoLease: "no-lease", Following: "following", Taking: "taking", Promoting: "promoting",
	Leading: "leading", Fenced: "fenced", Releasing: "releasing",
}

// String returns the phase's name as it stands in logs, traces and the API.
func (p Phase) String() string {
	if p >= phases {
		return "invalid"
	}
	return phaseNames[p]
}
