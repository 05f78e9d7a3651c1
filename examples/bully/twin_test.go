package bully_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/internal/servers"
)

// A second machine is set up with the node id of one that runs. It does not vote and
// never leads; both it and the others say why. The first one goes on.
func TestOneNodeIDTwice(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	x.settled()
	x.twin("c")
	x.start("twin")
	x.says("twin", "still hears another process with that node id")
	x.says("a", `node id "c" is used`)

	x.stepDown(leader.node)
	next := x.next(leader.epoch, time.Time{}, slack)
	time.Sleep(2 * time.Second)
	e, err := x.api("twin").Election(t.Context(), "jobs")
	if err != nil {
		t.Fatal(err)
	}
	for _, transition := range e.Transitions {
		if transition.To == "promoting" || transition.To == "leading" {
			t.Errorf("the twin of c: %+v", transition)
		}
	}
	if now := x.ask(next.node); now.Role != "leader" || now.Epoch != leader.epoch+1 {
		t.Errorf("%s is %s at epoch %d, want it to lead at %d", next.node, now.Role, now.Epoch, leader.epoch+1)
	}
	x.work()
}

// twin sets a node named twin up like another one, with the same node id, on a disk
// and ports of its own.
func (x *example) twin(of string) {
	x.t.Helper()
	text, err := os.ReadFile(filepath.Join(x.dir, of+".hcl"))
	if err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(x.dir, "twin.hcl"), text, 0o600); err != nil {
		x.t.Fatal(err)
	}
	x.rewrite("twin", func(line string) string {
		switch name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name {
		case "data_dir":
			return `  data_dir = "data/twin"`
		case "vote_listen", "bind":
			return strings.Replace(line, x.setting(of, name), servers.FreeAddress(x.t), 1)
		}
		return line
	})
}
