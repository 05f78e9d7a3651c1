package service

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// reload sends SIGHUP and returns what the daemon logs of it, once it has said how
// that ended.
func (d *daemon) reload(end string) string {
	d.t.Helper()
	before := len(d.log())
	d.signal(syscall.SIGHUP)
	eventually(d.t, d.name+" logs "+end, func() bool { return strings.Contains(d.log()[before:], end) })
	return strings.ReplaceAll(d.log()[before:], `\"`, `"`)
}

// SIGHUP applies what can change, names what cannot, and goes on leading.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	d := newDaemon(t, dir, "db-a")
	said := filepath.Join(dir, "said")
	d.alone(hook("demote", "echo before >> "+said))
	d.start()
	before := d.wait("leading", leads)

	d.edit("echo before", "echo after")
	d.edit(`arbiter_lease = "3s"`, `arbiter_lease = "6s"`)
	d.edit("heartbeat_lease", "priority = 7\n  heartbeat_lease")
	d.edit("data_dir", "identity = \"node-id\"\n  data_dir") // needs a restart
	d.edit("election", "log {\n  level = \"debug\"\n}\nelection")
	log := d.reload("the configuration is reloaded")
	for _, want := range []string{
		`election["orders"].arbiter_lease: 3s → 6s`, `election["orders"].priority: 100 → 7`, `log.level: "info" → "debug"`,
		`hook["demote"]`, `only a restart applies it: what="node.identity: "random" → "node-id" (needs a restart: it is fixed when electd starts)"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
	after := d.wait("leading with the new lease, once a write has carried it", func(e client.Election) bool {
		return e.Leading && e.ArbiterLeaseMS == 6000 && e.AuthorityMS > 3000 && e.Priority == 7
	})
	if after.Epoch != before.Epoch || after.Session != before.Session {
		t.Errorf("after the reload it leads at epoch %d in session %s, want %d and %s", after.Epoch, after.Session, before.Epoch, before.Session)
	}
	d.command("pause", "orders", "--for", "1h") // nobody else: it goes on
	d.signal(syscall.SIGTERM)
	<-d.exited
	d.says("hook begins") // which is said at debug
	if got := lines(said); len(got) != 1 || got[0] != "after" {
		t.Errorf("the demote hooks said %q, want what the new configuration has", got)
	}
}

// A wrong configuration changes nothing, and the log has the lines.
func TestReloadOfAWrongConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	d.start()
	before := d.wait("leading", leads)
	for mistake, want := range map[string]string{
		"priority = 7\n  arbiter_laese = \"9s\"\n":       "arbiter_laese",
		"priority = 7\n  fence_margin = \"10ms\"\n":      "fence_margin is too short",
		"priority = 7\n  run {\n    command = []\n  }\n": "command",
		"priority = 7\n  this is not HCL\n":              "db-a.hcl",
	} {
		d.alone(mistake)
		if log := d.reload("nothing is changed"); !strings.Contains(log, want) {
			t.Errorf("the log does not name %q:\n%s", want, log)
		}
	}
	d.alone("priority = 7\n")
	d.edit(`dir = "`, `dir = "relative`)
	d.edit("records\"\n", "records\"\n  colour = 1\n") // the arbiter's own schema refuses it
	if log := d.reload("nothing is changed"); !strings.Contains(log, "colour") {
		t.Errorf("the log does not name the arbiter's attribute:\n%s", log)
	}
	if now := d.wait("as before", leads); now.Priority != 100 || now.Epoch != before.Epoch {
		t.Errorf("priority %d, epoch %d, want 100 and %d", now.Priority, now.Epoch, before.Epoch)
	}
	if err := os.Remove(d.config); err != nil {
		t.Fatal(err)
	}
	d.reload("nothing is changed")
	d.wait("as before", leads)
}

// Elections come and go by reload, on the connections that there are.
func TestReloadAddsAndRemovesElections(t *testing.T) {
	t.Parallel()
	a, b := paired(t, "")
	a.start()
	b.start()
	leader, follower := carriedOne(t, a, b)
	for _, d := range []*daemon{leader, follower} {
		d.edit("election", fmt.Sprintf("election \"letters\" {\n  heartbeat_lease = \"3s\"\n  fence_margin = \"1s\"\n%s}\nelection", run("exec sleep 1000")))
		d.reload("the configuration is reloaded")
	}
	letters := func(d *daemon) client.Election {
		e, _ := d.api.Election(t.Context(), "letters")
		return e
	}
	eventually(t, "letters has a leader and a follower", func() bool {
		x, y := letters(a), letters(b)
		return x.Leading && y.Role == "follower" || y.Leading && x.Role == "follower"
	})
	for _, d := range []*daemon{a, b} {
		if n := strings.Count(d.log(), "connected to peer"); n != 1 {
			t.Errorf("%s connected %d times, want once", d.name, n)
		}
	}
	holder, other := a, b
	if letters(b).Leading {
		holder, other = b, a
	}
	epoch := letters(holder).Epoch
	text, err := os.ReadFile(holder.config)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), "election \"letters\"")
	holder.write(head + rest[strings.Index(rest, "election \"orders\""):])
	began := time.Now()
	holder.reload("the configuration is reloaded")
	eventually(t, "the other node leads letters", func() bool { e := letters(other); return e.Leading && e.Epoch == epoch+1 })
	t.Logf("the election removed was taken over after %s", time.Since(began))
	holder.wait("in the other election as before", func(e client.Election) bool { return e.Leading == (holder == leader) })
	if _, err := holder.api.Election(t.Context(), "letters"); err == nil {
		t.Error("the election removed is still there")
	}
	holder.says(`because="the election was removed from the configuration"`)
	if strings.Contains(holder.log(), "shutting down") {
		t.Error("a daemon that goes on logs that it is shutting down")
	}

	// Added again it is a session of its own, whose heartbeats nobody takes for
	// those of the one before, and its events go on where the others ended.
	before := letters(other)
	holder.write(string(text))
	holder.reload("the configuration is reloaded")
	eventually(t, "the election added again follows", func() bool { e := letters(holder); return e.Role == "follower" && e.Leader == other.name })
	eventually(t, "it is handed over to the one added again", func() bool {
		other.api.StepDown(t.Context(), "letters", holder.name) // refused until that one is known to be there
		e := letters(holder)
		return e.Leading && e.Epoch > before.Epoch
	})
	again := letters(holder)
	if node, err := holder.api.Node(t.Context()); err != nil || again.Session == node.Session {
		t.Errorf("added again, it is in the session %s of the election that was removed (%v)", again.Session, err)
	}
	// What the other one said of itself came before this session began: it asks.
	eventually(t, "the one added again knows that the other one stands", func() bool {
		for _, p := range letters(holder).Peers {
			if p.Node == other.name {
				return p.Eligible
			}
		}
		return false
	})
	told, last := 0, uint64(0)
	for event, err := range holder.api.Events(t.Context(), "", "letters") {
		if err != nil || event.Missed != nil {
			t.Fatalf("the event stream tells %+v, %v", event, err)
		}
		if event.Transition.ID <= last {
			t.Errorf("event %d comes after event %d", event.Transition.ID, last)
		}
		told, last = told+1, event.Transition.ID
		if event.Transition.To == "leading" && event.Transition.Epoch == again.Epoch {
			break
		}
	}
	if told < 6 {
		t.Errorf("only %d transitions of both are told", told)
	}
}

// A plugin's new file takes the old one's place by reload, and leadership stays;
// one that is not what its pin says changes nothing.
func TestReloadReplacesAPlugin(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	d.alone("")
	plugin := filepath.Join(d.dir, "electd-arbiter-file")
	program, err := os.ReadFile(filepath.Join(built, "electd-arbiter-file"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(more string) { // a running file cannot be written, but replaced
		if err := os.WriteFile(plugin+".new", append(program[:len(program):len(program)], more...), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(plugin+".new", plugin); err != nil {
			t.Fatal(err)
		}
	}
	put("")
	d.edit("arbiter \"file\" {", fmt.Sprintf("arbiter \"file\" {\n  plugin {\n    path = %q\n  }", plugin))
	d.start()
	before := d.wait("leading", leads)
	if log := d.reload("the configuration is reloaded"); strings.Contains(log, "the plugin is replaced") {
		t.Errorf("nothing has changed, and yet:\n%s", log)
	}
	put("a later version")
	if log := d.reload("the configuration is reloaded"); !strings.Contains(log, "the plugin is replaced") {
		t.Errorf("the new file was not taken:\n%s", log)
	}
	d.edit("path =", "sha256 = \""+strings.Repeat("0", 64)+"\"\n    path =")
	d.reload("nothing is changed")
	after := d.wait("as before", leads)
	if after.Epoch != before.Epoch || after.Requests.Writes < before.Requests.Writes {
		t.Errorf("it leads at epoch %d after %d, with %d writes after %d", after.Epoch, before.Epoch, after.Requests.Writes, before.Requests.Writes)
	}
	d.wait("renewing with the new plugin", func(e client.Election) bool {
		return e.Leading && e.Requests.Writes > after.Requests.Writes && e.Requests.Failures == 0
	})
}
