package bully

import (
	"context"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/bully/wire/bullyv1"
)

// askew is a voter's clock that is off by hours.
type askew struct {
	electors
	by time.Duration
}

func (n askew) status(ctx context.Context, i int, m *bullyv1.StatusRequest) (*bullyv1.StatusAnswer, error) {
	a, err := n.electors.status(ctx, i, m)
	if err == nil {
		a.WallClockNs += int64(n.by)
	}
	return a, err
}

// A clock that is hours off is named. No vote and no age depends on it.
func TestClockSkewIsNamedAndChangesNothing(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{5 * time.Hour, -5 * time.Hour} {
		c := newCluster(t, 3)
		c.config = func(config *Config) {
			if config.Node == "a" {
				config.way = func(e electors) electors { return askew{e, by} }
			}
		}
		c.start("a", "b", "c")
		c.ready()
		c.problem("a", by.String()[:2])
		v := c.mustSwap("a", lease, "", "one")
		c.expect("b", lease, "one", v)
		if s, err := c.read("a", lease); err != nil || s.Age > time.Minute {
			t.Errorf("with a clock %v off the record is %v old, %v", by, s.Age, err)
		}
		c.stopAll()
	}
}

// After a restart a voter does not know any more how old a record is, and says
// less than the truth.
func TestAgeAfterARestartIsTooShortNeverTooLong(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	begun := time.Now()
	c.mustSwap("a", lease, "", "one")
	time.Sleep(300 * time.Millisecond)
	s, err := c.read("b", lease)
	if truth := time.Since(begun); err != nil || s.Age < 200*time.Millisecond || s.Age > truth {
		t.Errorf("age %v, %v; the write began %v ago", s.Age, err, truth)
	}
	c.stop("a", "b", "c")
	restarted := time.Now()
	c.start("a", "b", "c")
	c.ready()
	s, err = c.read("b", lease)
	if up := time.Since(restarted); err != nil || s.Age > up {
		t.Errorf("age %v, %v; the voters have been up for %v", s.Age, err, up)
	}
}
