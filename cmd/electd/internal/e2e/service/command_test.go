package service

import (
	"os/exec"
	"testing"
	"time"
)

// command runs an electd command against this daemon.
func (d *daemon) command(args ...string) string {
	d.t.Helper()
	out, err := exec.Command(electd(), append(args, "--config", d.config)...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("electd %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// carriedOne waits until one of two leads on heartbeats alone, and the other one
// knows that: what it last heard of may be the arbiter's lease, which is longer.
func carriedOne(t *testing.T, a, b *daemon) (leader, follower *daemon) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, d := range [][2]*daemon{{a, b}, {b, a}} {
			e, err := d[0].api.Election(t.Context(), "orders")
			f, err2 := d[1].api.Election(t.Context(), "orders")
			if err == nil && err2 == nil && carried(e) && f.Leader == d[0].name && f.FreeInMS <= e.HeartbeatLeaseMS {
				return d[0], d[1]
			}
		}
	}
	t.Fatal("the pair does not settle")
	return nil, nil
}
