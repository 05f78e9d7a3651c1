package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/internal/servers"
)

// TestArbiterProcess: an arbiter's process that is killed or frozen, on the
// leader or on the follower, changes no leader while all else is well, and is
// not missed when it is needed.
func TestArbiterProcess(t *testing.T) {
	signals := map[string]syscall.Signal{"killed": syscall.SIGKILL, "frozen": syscall.SIGSTOP}
	roles := map[string]func(leader, follower *machine) *machine{
		"the leader's":   func(leader, _ *machine) *machine { return leader },
		"the follower's": func(_, follower *machine) *machine { return follower },
	}
	for what, signal := range signals {
		for whose, pick := range roles {
			t.Run(whose+" "+what, func(t *testing.T) {
				t.Parallel()
				p := newPair(t, servers.Strict3(t), "")
				for _, m := range p.nodes {
					m.start()
				}
				leader, follower, epoch := p.settle()
				struck := pick(leader, follower)
				pid := struck.strikeChild(builtin.Command, signal)
				if pid == 0 {
					t.Fatal("no process of the arbiter")
				}
				t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) }) // it may be frozen still
				time.Sleep(2 * heartbeatLease)
				if e, ok := leader.status(); !ok || !e.Leading || e.Epoch != epoch {
					t.Fatalf("the leader no longer leads: %+v", e)
				}

				// Now the follower needs its arbiter.
				at := time.Now()
				leader.kill()
				next := p.witness.writerAfter(epoch, 20*time.Second)
				t.Logf("the next program writes %s after the kill", next.at.Sub(at))
				if next.node != follower.name || next.epoch != epoch+1 {
					t.Errorf("%s writes at epoch %d, want %s at %d", next.node, next.epoch, follower.name, epoch+1)
				}
				leader.start()
				p.settle()
				follower.wait("with an arbiter", func(client.Election) bool {
					n, err := follower.api.Node(t.Context())
					return err == nil && n.Arbiter.Running && n.Arbiter.Problem == ""
				})
			})
		}
	}
}
