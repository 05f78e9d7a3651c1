package health

// counter turns the answers of single checks into an answer that does not
// flutter.
type counter struct {
	failures, successes int // in a row, that make a change

	known, healthy bool
	run            int // checks in a row that said the opposite of healthy
}

// count takes in one check. It returns what holds now and whether that is new.
func (c *counter) count(ok bool) (healthy, changed bool) {
	switch {
	case !c.known:
		c.known, c.healthy, c.run = true, ok, 0
		return ok, true
	case ok == c.healthy:
		c.run = 0
		return c.healthy, false
	}
	c.run++
	if (ok && c.run < c.successes) || (!ok && c.run < c.failures) {
		return c.healthy, false
	}
	c.healthy, c.run = ok, 0
	return ok, true
}
