package service

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// Nothing periodic is logged: while all is well neither a leader, nor a standby,
// nor a node that renews its lease alone says a word. A change is one line with its
// reason, as JSON where that is asked for.
func TestLogsTellChangesAndNothingElse(t *testing.T) {
	t.Parallel()
	alone := newDaemon(t, workplace(t), "db-c")
	alone.alone(run("exec sleep 1000"))
	a, b := paired(t, run("exec sleep 1000")+sick("/nonexistent"))
	for _, d := range []*daemon{a, b} {
		d.edit("election", "log {\n  format = \"json\"\n}\nelection")
		d.start()
	}
	alone.start()
	leader, follower := carriedOne(t, a, b)
	before := alone.wait("leading", leads)

	said := map[*daemon]int{}
	for _, d := range []*daemon{leader, follower, alone} {
		d.says("the store keeps what an election needs")
		said[d] = len(d.log())
	}
	time.Sleep(4 * time.Second)
	alone.wait("renewing meanwhile", func(e client.Election) bool { return e.Requests.Writes >= before.Requests.Writes+3 })
	for d, n := range said {
		if more := d.log()[n:]; more != "" {
			t.Errorf("%s says with nothing happening:\n%s", d.name, more)
		}
	}

	leader.command("step-down", "orders", "--wait")
	because := ""
	for line := range strings.Lines(leader.log()) {
		var entry struct {
			Level   string `json:"@level"`
			Message string `json:"@message"`
			Because string `json:"because"`
			From    string `json:"from"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level == "" || entry.Message == "" {
			t.Errorf("no entry of a log in JSON: %v: %s", err, line)
		}
		if entry.From == "leading" && entry.Message == "releasing" && entry.Level == "info" {
			because = entry.Because
		}
	}
	if because != "asked to step down" {
		t.Errorf("the release is logged because of %q", because)
	}
}
