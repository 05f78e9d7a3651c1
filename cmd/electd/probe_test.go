package main

import (
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// What a probe shows is said once, and in words that fit what was seen.
func TestShowProbe(t *testing.T) {
	for _, c := range []struct {
		report core.ProbeReport
		says   string
	}{
		{core.ProbeReport{Offset: -18650 * time.Microsecond, OffsetBy: time.Millisecond}, "18.65ms behind this machine's, give or take 1ms"},
		{core.ProbeReport{Offset: 18650 * time.Microsecond, OffsetBy: time.Millisecond}, "18.65ms ahead of this machine's, give or take 1ms"},
		{denied, "The store could not be examined, so nothing is known of it."},
		{denied, "unreachable reachable: answered 403 AccessDenied"},
	} {
		var out strings.Builder
		if err := showProbe(&out, "s3", c.report); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), c.says) != 1 || strings.Count(out.String(), "403") > 1 {
			t.Errorf("it shows\n%s\nwant once %q", out.String(), c.says)
		}
	}
}

var denied = core.ProbeReport{Findings: []core.Finding{{Check: "reachable", Verdict: core.Unreachable, Observed: "answered 403 AccessDenied"}}}
