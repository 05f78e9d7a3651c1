package builtin

import (
	"fmt"
	"time"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/plugins"
)

// Check examines the configuration of a built-in arbiter that takes part in
// elections itself, without opening it: that would take its ports from a daemon
// that runs. It returns what is worth saying about it; ok is false for arbiters
// that only store, which can be opened without harm.
func Check(name string, values plugins.Values, lease time.Duration) (say []string, ok bool, err error) {
	if name != "bully" {
		return nil, false, nil
	}
	schema, err := Find(name).Schema()
	if err != nil {
		return nil, true, err
	}
	if values, err = schema.Complete(values); err != nil {
		return nil, true, err
	}
	var c bully.Config
	if err := plugins.Decode(values, &c); err != nil {
		return nil, true, err
	}
	say, err = c.Check()
	if err != nil {
		return nil, true, err
	}
	return append(say, fmt.Sprintf("While a majority of the %d voters reach each other, the next leader is elected at most %s after a crash.",
		len(c.Voters), c.FailoverBound(lease).Round(10*time.Millisecond))), true, nil
}
