package register

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// MaxVoters is the largest electorate: as many as a lease record names electors.
const MaxVoters = 9

// Electorate is the fixed set of voters. Nothing that happens at run time, no
// joiner and no death, changes its size or its majority.
type Electorate struct {
	voters []string // sorted
	hash   string
}

// NewElectorate returns the electorate of the named cluster. The order in which
// voters are listed does not matter.
func NewElectorate(cluster string, voters []string) (Electorate, error) {
	sorted := slices.Clone(voters)
	slices.Sort(sorted)
	if len(sorted) == 0 || len(sorted) > MaxVoters {
		return Electorate{}, fmt.Errorf("%d voters, between 1 and %d are possible", len(sorted), MaxVoters)
	}
	for i, v := range sorted {
		if v == "" {
			return Electorate{}, fmt.Errorf("a voter without a name")
		}
		if i > 0 && sorted[i-1] == v {
			return Electorate{}, fmt.Errorf("voter %q is listed twice", v)
		}
	}
	sum := sha256.Sum256([]byte(cluster + "\x00" + strings.Join(sorted, "\x00")))
	return Electorate{voters: sorted, hash: hex.EncodeToString(sum[:8])}, nil
}

// Size is the number of voters, Majority how many of them decide.
func (e Electorate) Size() int { return len(e.voters) }

// Majority is the least number of voters of which any two sets share one.
func (e Electorate) Majority() int { return majority(len(e.voters)) }

// Hash identifies cluster name and voters; it is in every message.
func (e Electorate) Hash() string { return e.hash }

// Voter returns the node id of voter i, in sorted order.
func (e Electorate) Voter(i int) string { return e.voters[i] }

// Index returns a node's place among the voters, false for everybody else.
func (e Electorate) Index(node string) (int, bool) { return slices.BinarySearch(e.voters, node) }

func majority(voters int) int { return voters/2 + 1 }

// Incarnation tells one data directory of a voter from an earlier one that was
// lost. Generation 0 is blank: not admitted yet. Founders are generation 1.
type Incarnation struct {
	Generation uint32
	Nonce      string
}

// View is what one voter knows of all voters' generations. It goes with every
// answer: an answer given by a data directory that has been replaced since must
// not be counted together with one that knows of the replacement, because the
// replacement has promised and accepted nothing of what the lost one did.
type View [MaxVoters]uint32

// Standing is a voter's place in the cluster, as it is on its disk.
type Standing struct {
	Nonce      string                 // of this data directory, random, made once
	Generation uint32                 // 0: blank, does not vote
	Founding   string                 // identifies the founding it belongs to
	Floor      Ballot                 // least promise for every key
	Known      [MaxVoters]Incarnation // the newest incarnation it knows of each voter
}

// View returns the generations known to this voter.
func (s Standing) View() View {
	var v View
	for i, k := range s.Known {
		v[i] = k.Generation
	}
	return v
}

// Retired reports whether the others have admitted a newer data directory in
// this one's place: the same node id was started twice, or an old disk is back.
func (s Standing) Retired(me int) bool {
	return s.Generation > 0 && s.Known[me].Generation > s.Generation
}

// Learn returns the standing with what another voter of the same founding knows.
// Knowing more only ever makes a voter stricter.
func (s Standing) Learn(known [MaxVoters]Incarnation) Standing {
	for i, k := range known {
		if k.Generation > s.Known[i].Generation {
			s.Known[i] = k
		}
	}
	return s
}
