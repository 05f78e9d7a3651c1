package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// CheckCapabilities refuses an arbiter whose limits leave no room for the
// elections: for a whole lease record (design 3.2) and for the writes that keep a
// leader in office (design 3.3). The findings are at the arbiter's block.
func (c *Config) CheckCapabilities(can plugins.Capabilities) Diagnostics {
	var wrong []error
	if most := can.MaxRecordBytes; most > 0 && most < core.MaxRecordBytes {
		wrong = append(wrong, fmt.Errorf("it takes records of at most %d bytes (its max_record_bytes), and a lease record may have %d: choose another arbiter, or let its author raise the limit",
			most, core.MaxRecordBytes))
	}
	for i := range c.Elections {
		e := &c.Elections[i]
		between, name := e.renewalsApart(len(c.Peers()) > 0)
		if pause := can.MinWriteInterval; pause > between {
			wrong = append(wrong, fmt.Errorf("it takes one write every %s (its min_write_interval), and election %q must be able to renew after %s (%s): raise arbiter_lease, or choose another arbiter",
				pause, e.Name, round(between), name))
		}
	}
	if len(wrong) == 0 {
		return Diagnostics{}
	}
	return c.Locate("arbiter", errors.Join(wrong...))
}

// renewalsApart is how long after one write the next may be due: alone, a leader
// renews every third of the lease; with peers, once half the lease is left, and it
// has to be done before it fences.
func (e *Election) renewalsApart(peers bool) (time.Duration, string) {
	if peers {
		return e.ArbiterLease/2 - e.FenceMargin, fmt.Sprintf("half of arbiter_lease %s less fence_margin %s", e.ArbiterLease, e.FenceMargin)
	}
	return e.ArbiterLease / 3, fmt.Sprintf("a third of arbiter_lease %s, as there are no peers", e.ArbiterLease)
}
