package bully_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// probe runs electd probe with a node's configuration.
func (x *example) probe(node string) (said string, err error) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, electd, "probe", "--config", node+".hcl")
	cmd.Dir = x.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The probe works beside a daemon that has the vote. It, and the other nodes, tell
// of a voter whose directory was removed under it.
func TestProbeBesideTheDaemons(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	x.settled()
	said, err := x.probe("a")
	if err != nil || !strings.Contains(said, "3 of 3 voters") || !strings.HasSuffix(said, "The store keeps what an election needs.\n") {
		t.Errorf("%v\n%s", err, said)
	}
	lost := x.others(leader.node)[0]
	votes := filepath.Join(x.dir, "data", lost, "votes")
	if err := os.RemoveAll(votes); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		n, err := x.api(leader.node).Node(t.Context())
		if err == nil && strings.Contains(strings.Join(n.Arbiter.Problems, "\n"), "voter "+lost+" cannot write "+votes) {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("the leader's problems: %q, %v", n.Arbiter.Problems, err)
		}
	}
	if said, err := x.probe(leader.node); err != nil || !strings.Contains(said, "2 of 3 voters") {
		t.Errorf("%v\n%s", err, said)
	}
}
