package bully_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// checked gives every node a health command of its own, which fails once the
// file sick-NODE is there.
func (x *example) checked() {
	x.t.Helper()
	for _, node := range x.names() {
		path := filepath.Join(x.dir, node+".hcl")
		text, err := os.ReadFile(path)
		if err != nil {
			x.t.Fatal(err)
		}
		health := "election \"jobs\" {\n  health {\n    command  = [\"/bin/sh\", \"-c\", \"test ! -e " + x.sick(node) + "\"]\n    interval = \"100ms\"\n    failures = 1\n  }\n"
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), "election \"jobs\" {\n", health, 1)), 0o600); err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x *example) sick(node string) string { return filepath.Join(x.dir, "sick-"+node) }

// A leader whose health check fails hands over at once; nobody waits for a lease.
// It does not stand again while it is not healthy.
func TestUnhealthyLeaderHandsOver(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.connected()
	x.checked()
	x.start(x.names()...)
	last := x.next(0, time.Time{}, firstStart)
	x.settled()
	for range 2 { // the third one is the only healthy one
		begun := time.Now()
		if err := os.WriteFile(x.sick(last.node), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		next := x.next(last.epoch, begun, 3*time.Second)
		t.Logf("%s is sick: %s leads after %v", last.node, next.node, next.at.Sub(begun))
		if _, err := os.Stat(x.sick(next.node)); err == nil {
			t.Errorf("%s leads, and is not healthy", next.node)
		}
		last = next
		x.settled()
	}
	x.work()
}
