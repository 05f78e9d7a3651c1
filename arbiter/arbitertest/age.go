package arbitertest

import (
	"time"

	"github.com/electd/electd/core"
)

// ageHonest writes at all phases of a second, since stores tell their time in
// seconds, and compares each record's age with the time since its write began,
// at once and over a second later.
func ageHonest(x *exam) {
	const phases = 8
	a, b := x.open(), x.open()
	versions := make([]core.Version, phases)
	begun := make([]time.Time, phases)
	write := func() {
		for i := range phases {
			begun[i] = time.Now()
			versions[i] = x.write(a, x.key(i), versions[i], body())
			x.honestAge(b, x.key(i), begun[i])
			x.rest(time.Second / phases)
		}
	}
	write()
	x.rest(300 * time.Millisecond)
	for i := range phases {
		x.honestAge(b, x.key(i), begun[i])
	}
	write() // the age is the record's, not the key's
}

// honestAge reads key, whose record's write began at begun.
func (x *exam) honestAge(a core.Arbiter, key string, begun time.Time) {
	s := x.read(a, key)
	truth := time.Since(begun)
	switch {
	case s.Age > truth:
		x.failf("the record's age is said to be %v, but its write began %v ago", s.Age, truth)
	case s.Age < 0:
		x.failf("the record's age is said to be %v", s.Age)
	}
}
