package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

func TestFruitlessTakesAreToldOnce(t *testing.T) {
	change := map[string]node.Change{
		"take":    {From: core.Following, To: core.Taking, Epoch: 3, Reason: core.BecauseHolderSilent},
		"reclaim": {From: core.Following, To: core.Taking, Epoch: 3, Reason: core.BecauseReclaim},
		"lost":    {From: core.Taking, To: core.Following, Epoch: 3, Reason: core.BecauseTakeLost},
		"late":    {From: core.Taking, To: core.Fenced, Epoch: 4, Reason: core.BecauseTakenLate},
		"won":     {From: core.Taking, To: core.Promoting, Epoch: 4, Reason: core.BecauseTaken},
		"vacant":  {From: core.Following, To: core.NoLease, Epoch: 3, Reason: core.BecauseVacant},
		"heard":   {From: core.NoLease, To: core.Following, Epoch: 3, Reason: core.BecauseHeardLeader},
	}
	name := func(c node.Change) string {
		for name, known := range change {
			if known == c {
				return name
			}
		}
		return fmt.Sprintf("%+v", c)
	}
	for happens, told := range map[string]string{
		"take lost":                               "take lost",
		"take lost take lost take lost":           "take lost",
		"take lost take won":                      "take lost take won",
		"take lost take lost take late":           "take lost take late",
		"take lost take lost reclaim lost":        "take lost reclaim lost",
		"take lost vacant heard take lost":        "take lost vacant heard take lost",
		"take lost take won take lost take lost":  "take lost take won take lost",
		"take lost reclaim lost take lost":        "take lost reclaim lost take lost",
		"vacant heard take lost take lost vacant": "vacant heard take lost vacant",
	} {
		var a attempts
		var got []string
		for step := range strings.FieldsSeq(happens) {
			for _, c := range a.next(change[step]) {
				got = append(got, name(c))
			}
		}
		if strings.Join(got, " ") != told {
			t.Errorf("of %q is told %q, want %q", happens, got, told)
		}
	}
}
