package agent

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// A store that is away from a thousand elections is a few lines, not thousands.
func TestOutageIsToldOnce(t *testing.T) {
	log := &buffer{}
	o := newOutage(hclog.New(&hclog.LoggerOptions{Output: log}))
	each := func(c node.Call) {
		for i := range 1000 {
			o.answered(fmt.Sprintf("e%d", i), c)
		}
	}
	count := func() int { return strings.Count(log.String(), "\n") }
	each(node.Call{Outcome: core.Applied})
	if count() != 0 {
		t.Errorf("all is well, and the log says %s", log)
	}
	for range 3 {
		each(node.Call{Outcome: core.Unavailable, Err: errors.New("no route")})
	}
	if count() != 1 || !strings.Contains(log.String(), "no route") {
		t.Errorf("of an outage the log says %s", log)
	}
	each(node.Call{Outcome: core.Denied, Err: errors.New("key revoked")})
	if count() != 2 || !strings.Contains(log.String(), "key revoked") {
		t.Errorf("of another way of failing the log says %s", log)
	}
	each(node.Call{Outcome: core.Applied})
	if count() != 3 || !strings.Contains(log.String(), "answers again") || !strings.Contains(log.String(), "elections_concerned=1000") {
		t.Errorf("of the outage's end the log says %s", log)
	}
	o.answered("e7", node.Call{Outcome: core.Unavailable, Err: errors.New("no route")})
	if count() != 4 {
		t.Errorf("of a second outage the log says %s", log)
	}
	o.forget("e7") // the only one that it concerned
	o.answered("e8", node.Call{Outcome: core.Unavailable, Err: errors.New("no route")})
	if count() != 5 {
		t.Errorf("of an outage after an election that is no more the log says %s", log)
	}
}
