package service

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// hook is a hook block whose command is a shell script.
func hook(event, script string, more ...string) string {
	return fmt.Sprintf("  hook %q {\n    command = [\"sh\", \"-c\", %q]\n%s  }\n", event, script, strings.Join(more, ""))
}

// A promote hook that takes twenty times the lease does not lose the lease.
func TestLongPromoteHookKeepsTheLease(t *testing.T) {
	t.Parallel()
	long := 60 * time.Second
	if !soak(t, "the promote hook takes 12 s instead of 60 s") {
		long = 12 * time.Second
	}
	const lease = 3 * time.Second
	a, b := paired(t, hook("promote", fmt.Sprintf("sleep %d", long/time.Second), "    timeout = \"90s\"\n"))
	a.start()
	b.start()
	first := a
	eventually(t, "one of them is promoting", func() bool {
		for _, d := range []*daemon{a, b} {
			if strings.Contains(d.log(), "promoting") {
				first = d
				return true
			}
		}
		return false
	})
	began := time.Now()
	time.Sleep(long - 10*time.Second) // as long as nothing is to be seen
	promoted := first.wait("leading", leads)
	if took := time.Since(began); took < long-lease {
		t.Errorf("it leads after %s, before its hook of %s is over", took, long)
	}
	if promoted.Epoch != 1 {
		t.Errorf("it leads at epoch %d, want 1: the lease was lost meanwhile", promoted.Epoch)
	}
	for _, tr := range promoted.Transitions {
		if tr.To == "fenced" || tr.To == "releasing" {
			t.Errorf("the lease was not kept: %+v", tr)
		}
	}
}

// A veto releases the lease, and the other node leads one epoch up.
func TestPromoteVeto(t *testing.T) {
	t.Parallel()
	a, b := paired(t, "")
	a.edit("fence_margin", hook("promote", "echo not this one; exit 3")+"  fence_margin")
	a.start()
	b.start()
	next := b.wait("leading", leads)
	if next.Epoch == 1 { // it was faster: hand it to the one that vetoes
		b.wait("carried by its peer", carried)
		b.command("step-down", "orders", "--to", "db-a")
		a.says("not this one", "exit status 3")
		next = b.wait("leading again", func(e client.Election) bool { return e.Leading && e.Epoch > 1 })
	}
	a.says("not this one", "not promoted", "because=\"the promote hook failed or overran\"")
	if next.Epoch < 2 {
		t.Errorf("db-b leads at epoch %d, want one above the vetoed one", next.Epoch)
	}
}

// Hooks run in the order of the roles, each with the epoch it is about.
func TestHooksInOrderWithEpochAndReason(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	path := filepath.Join(dir, "hooks")
	record := fmt.Sprintf(`echo "$ELECTD_NODE $ELECTD_HOOK $ELECTD_EPOCH $ELECTD_ROLE leader=$ELECTD_LEADER reason=$ELECTD_REASON" >> %s`, path)
	var inside string
	for _, event := range []string{"promote", "demote", "follow"} {
		inside += hook(event, record)
	}
	inside += hook("fence", record, "    timeout = \"500ms\"\n")
	a, b := paired(t, inside)
	a.start()
	b.start()
	leader, follower := carriedOne(t, a, b)
	leader.command("step-down", "orders", "--to", follower.name, "--wait")
	follower.wait("leading", func(e client.Election) bool { return e.Leading && e.Epoch == 2 })
	of := func(d *daemon) []string {
		var own []string
		for _, l := range lines(path) {
			if rest, ok := strings.CutPrefix(l, d.name+" "); ok {
				own = append(own, rest)
			}
		}
		return own
	}
	want := []string{
		"promote 1 leader leader= reason=the take was applied",
		"fence 1 follower leader= reason=asked to hand over",
		"demote 1 follower leader= reason=asked to hand over",
		fmt.Sprintf("follow 2 follower leader=%s reason=a leader was heard", follower.name),
	}
	eventually(t, "the old leader follows", func() bool { return len(of(leader)) >= len(want) })
	got := of(leader)
	if first := slices.Index(got, want[0]); first > 0 { // it may have followed before
		got = got[first:]
	}
	if !slices.Equal(got, want) {
		t.Errorf("the old leader's hooks ran as\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := of(follower); len(got) < 2 || got[len(got)-1] != "promote 2 leader leader= reason=the take was applied" {
		t.Errorf("the new leader's hooks ran as\n%s", strings.Join(got, "\n"))
	}
}

// A hook that hangs is killed at its timeout with all its children.
func TestStuckHookIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	pids := filepath.Join(dir, "pids")
	d := newDaemon(t, dir, "db-a")
	d.alone(hook("promote", fmt.Sprintf("sleep 1000 & echo $! >> %s; setsid sleep 1000 & echo $! >> %[1]s; echo $$ >> %[1]s; sleep 1000", pids), "    timeout = \"2s\"\n"))
	d.start()
	d.says("not over after its timeout of 2s, so it was killed", "because=\"the promote hook failed or overran\"")
	children := lines(pids)
	if len(children) < 3 {
		t.Fatalf("the hook wrote only %q", children)
	}
	for _, text := range children[:3] {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, fmt.Sprintf("process %d of the hook is gone", pid), func() bool { return gone(pid) })
	}
}

// gone reports whether a process is no more, or nothing but a zombie.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z") || strings.HasPrefix(after, "X")
}
