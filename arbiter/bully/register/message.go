package register

import "time"

// RequestKind says what an operation asks of the acceptors.
type RequestKind uint8

// The requests of an operation.
const (
	Query   RequestKind = iota + 1 // what have you accepted? changes nothing
	Prepare                        // promise to ignore lower ballots
	Accept                         // accept this value in this ballot
)

// Request goes to every voter. Round tells the rounds of one operation apart.
type Request struct {
	Kind       RequestKind
	Electorate string
	Founding   string
	Round      uint32
	Key        string
	Ballot     Ballot // Prepare, Accept
	Value      Value  // Accept
}

// AnswerKind says what an acceptor answered; the zero kind is no answer yet.
type AnswerKind uint8

// The answers.
const (
	Report   AnswerKind = iota + 1 // to Query
	Promise                        // to Prepare
	Accepted                       // to Accept
	Refused                        // to any; Refusal says why
)

// Refusal is why a voter did not do what it was asked.
type Refusal uint8

// The refusals. Unreachable and Failing are given by the driver in a voter's
// stead; the others by Acceptors.
const (
	Outbid          Refusal = iota + 1 // it has promised a higher ballot
	NotAdmitted                        // its data directory is empty: it does not vote
	OtherElectorate                    // its voters or its cluster name differ
	OtherFounding                      // it belongs to another cluster with the same voters
	Retired                            // a newer data directory was admitted in its place
	Superseded                         // (Admit) a newer or another candidate has that generation
	StillAlive                         // (Admit) the data directory to be replaced is in use
	Unreachable                        // no answer
	Failing                            // it cannot write its data directory
)

// String returns the refusal in words that fit after a voter's name.
func (r Refusal) String() string {
	switch r {
	case Outbid:
		return "has promised a higher ballot"
	case NotAdmitted:
		return "is not admitted yet (its data directory was empty)"
	case OtherElectorate:
		return "is configured with other voters or another cluster name"
	case OtherFounding:
		return "belongs to another cluster with the same name and voters"
	case Retired:
		return "was replaced by a newer data directory of the same node id"
	case Superseded:
		return "has admitted another data directory of that node id"
	case StillAlive:
		return "still hears another process with that node id"
	case Unreachable:
		return "did not answer"
	case Failing:
		return "cannot write its data directory"
	}
	return "answered"
}

// Answer is one acceptor's answer to one Request.
type Answer struct {
	Kind       AnswerKind
	Voter      int
	Generation uint32
	View       View
	Round      uint32 // the request's
	Refusal    Refusal
	Promised   Ballot // Refused as Outbid: the promise that stands
	At         Ballot // Report, Promise: the ballot in which Value was accepted
	Value      Value  // Report, Promise

	// Age is how long ago, at least, this voter first accepted Value, by its own
	// clock. Filled in by the driver; the machines here only pass it on.
	Age time.Duration
}

// valid keeps, of the answers of one kind, those that may be counted together:
// it drops every answer of a data directory that some other answer knows to be
// replaced. The result is a bitmask by voter.
func valid(answers *[MaxVoters]Answer, kind AnswerKind) (set uint16, count int) {
	for i := range answers {
		if answers[i].Kind != kind || outdated(answers, i) {
			continue
		}
		set |= 1 << i
		count++
	}
	return set, count
}

func outdated(answers *[MaxVoters]Answer, i int) bool {
	if answers[i].Kind == 0 {
		return false
	}
	for j := range answers {
		if answers[j].Kind != 0 && answers[j].View[i] > answers[i].Generation {
			return true
		}
	}
	return false
}
