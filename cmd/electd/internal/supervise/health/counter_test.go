package health

import "testing"

// Answers as a string: + healthy, - not; after each check what holds, upper case
// where it is new.
func TestCounter(t *testing.T) {
	for _, c := range []struct {
		failures, successes int
		checks, want        string
	}{
		{3, 1, "+", "H"},
		{3, 1, "-", "S"},
		{3, 1, "+--+---+", "HhhhhhSH"},
		{3, 2, "-+-++-", "SsssHh"},
		{1, 1, "+-+-", "HSHS"},
	} {
		n := counter{failures: c.failures, successes: c.successes}
		var got string
		for _, ok := range c.checks {
			healthy, changed := n.count(ok == '+')
			letter := map[bool]string{true: "h", false: "s"}[healthy]
			if changed {
				letter = map[string]string{"h": "H", "s": "S"}[letter]
			}
			got += letter
		}
		if got != c.want {
			t.Errorf("%d failures, %d successes, checks %s: got %s, want %s", c.failures, c.successes, c.checks, got, c.want)
		}
	}
}
