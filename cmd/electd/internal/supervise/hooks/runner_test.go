package hooks_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"github.com/electd/electd/cmd/electd/internal/supervise/hooks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answers collects results in the order in which they come.
type answers struct {
	t   *testing.T
	all chan answer
}

type answer struct {
	id string
	hooks.Result
}

func newAnswers(t *testing.T) *answers {
	t.Helper()
	return &answers{t: t, all: make(chan answer, 100)}
}

func (a *answers) of(id string) func(hooks.Result) {
	return func(r hooks.Result) { a.all <- answer{id, r} }
}

// expect takes the next answer, which must be id's, with the outcome.
func (a *answers) expect(id string, want hooks.Outcome) hooks.Result {
	a.t.Helper()
	select {
	case got := <-a.all:
		if got.id != id || got.Outcome != want {
			a.t.Fatalf("answer of %s: %s (%v), want %s: %s", got.id, got.Outcome, got.Err, id, want)
		}
		if (got.Err == nil) != (want == hooks.Done) {
			a.t.Errorf("%s: %s with error %v", id, got.Outcome, got.Err)
		}
		return got.Result
	case <-time.After(20 * time.Second):
		a.t.Fatalf("no answer for %s in 20 s", id)
	}
	panic("unreachable")
}

// expectAll takes the next answers, which must be of those ids in any order, all
// with the outcome.
func (a *answers) expectAll(ids []string, want hooks.Outcome) {
	a.t.Helper()
	left := slices.Clone(ids)
	for len(left) > 0 {
		select {
		case got := <-a.all:
			i := slices.Index(left, got.id)
			if i < 0 || got.Outcome != want {
				a.t.Fatalf("answer of %s: %s (%v), want %s of one of %q", got.id, got.Outcome, got.Err, want, left)
			}
			left = slices.Delete(left, i, i+1)
		case <-time.After(20 * time.Second):
			a.t.Fatalf("no answer for %q in 20 s", left)
		}
	}
}

func sh(script string) hooks.Hook { return hooks.Hook{Command: []string{"sh", "-c", script}} }

type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func runner(t *testing.T, h map[hooks.Kind]hooks.Hook) (*hooks.Runner, *log) {
	t.Helper()
	l := &log{}
	r, err := hooks.New(hooks.Config{
		Election: "orders", Node: "db-a", API: "/api.sock", TokenFile: "/token", Hooks: h,
		Log: hclog.New(&hclog.LoggerOptions{Output: l, Level: hclog.Debug}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r.Close(ctx)
	})
	return r, l
}

func TestHookKnowsWhatHappensAndItsOutputIsLogged(t *testing.T) {
	t.Setenv("ELECTD_SECRET", "x")
	h := sh(`echo "$ELECTD_HOOK $ELECTD_ROLE $ELECTD_ELECTION $ELECTD_NODE $ELECTD_EPOCH $ELECTD_REASON $ELECTD_LEADER $ELECTD_API $ELECTD_TOKEN_FILE [$ELECTD_SECRET] $MODE"`)
	h.Env = map[string]string{"MODE": "fast"}
	r, log := runner(t, map[hooks.Kind]hooks.Hook{hooks.Follow: h})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Follow, Epoch: 7, Reason: "lost-contact", Leader: "db-b"}, a.of("1"))
	a.expect("1", hooks.Done)
	want := "follow follower orders db-a 7 lost-contact db-b /api.sock /token [] fast: epoch=7 hook=follow"
	if !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, log)
	}
}

func TestPromoteVetoes(t *testing.T) {
	r, log := runner(t, map[hooks.Kind]hooks.Hook{hooks.Promote: sh("echo not yet >&2; exit 3")})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Promote, Epoch: 7}, a.of("1"))
	got := a.expect("1", hooks.Failed)
	for _, want := range []string{"promote", "exit status 3"} {
		if !strings.Contains(got.Err.Error(), want) {
			t.Errorf("%q does not name %q", got.Err, want)
		}
	}
	if !strings.Contains(log.String(), "not yet: epoch=7 hook=promote") {
		t.Errorf("the log lacks the hook's words:\n%s", log)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestReplacedHooksRunFromTheNextRequestOn(t *testing.T) {
	dir := t.TempDir()
	r, log := runner(t, map[hooks.Kind]hooks.Hook{hooks.Demote: sh(fmt.Sprintf("touch %[1]s/began; until [ -e %[1]s/go ]; do sleep 0.02; done; echo before", dir))})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Demote, Epoch: 1}, a.of("1"))
	if err := r.Replace(hooks.Config{Hooks: map[hooks.Kind]hooks.Hook{"promte": sh("true")}}); err == nil {
		t.Error("a hook that does not exist was taken")
	}
	for !exists(dir + "/began") {
		time.Sleep(5 * time.Millisecond)
	}
	after := hooks.Config{Log: hclog.New(&hclog.LoggerOptions{Output: log}), Hooks: map[hooks.Kind]hooks.Hook{hooks.Demote: sh("echo after")}}
	if err := r.Replace(after); err != nil {
		t.Fatal(err)
	}
	r.Submit(hooks.Request{Kind: hooks.Demote, Epoch: 2}, a.of("2"))
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.expect("1", hooks.Done)
	a.expect("2", hooks.Done)
	for _, want := range []string{"before: epoch=1", "after: epoch=2"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

func TestMissingHooksAreDoneInTheirTurn(t *testing.T) {
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{hooks.Demote: sh("sleep 0.1")})
	a := newAnswers(t)
	for i, k := range []hooks.Kind{hooks.Fence, hooks.Demote, hooks.Follow} {
		r.Submit(hooks.Request{Kind: k}, a.of(fmt.Sprint(i)))
	}
	for i := range 3 {
		a.expect(fmt.Sprint(i), hooks.Done)
	}
}

func TestOneAtATimeInOrder(t *testing.T) {
	file := t.TempDir() + "/order"
	script := fmt.Sprintf(`echo "begin $ELECTD_EPOCH" >>%s; sleep 0.02; echo "end $ELECTD_EPOCH" >>%[1]s`, file)
	kinds := []hooks.Kind{hooks.Fence, hooks.Demote, hooks.Demote, hooks.Promote}
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{hooks.Fence: sh(script), hooks.Demote: sh(script), hooks.Promote: sh(script)})
	a := newAnswers(t)
	var want []string
	for i, kind := range kinds {
		r.Submit(hooks.Request{Kind: kind, Epoch: uint64(i)}, a.of(fmt.Sprint(i)))
		want = append(want, fmt.Sprintf("begin %d", i), fmt.Sprintf("end %d", i))
	}
	for i := range kinds {
		a.expect(fmt.Sprint(i), hooks.Done)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSpace(string(body)), "\n"); !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestTimeout(t *testing.T) {
	file := t.TempDir() + "/pids"
	stuck := sh(fmt.Sprintf(`trap '' TERM; sleep 60 & echo $! >%s; setsid sleep 60 & echo $! >>%[1]s; wait`, file))
	stuck.Timeout = 3 * time.Second // enough for it to start its children on a busy machine
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{hooks.Fence: stuck})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Fence}, a.of("1"))
	got := a.expect("1", hooks.TimedOut)
	if !strings.Contains(got.Err.Error(), "3s") || got.Took < stuck.Timeout {
		t.Errorf("got %+v", got)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(body)) {
		var pid int
		fmt.Sscan(word, &pid)
		eventually(t, "the hook's children are dead", func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) })
	}
}

// Which newer request ends which older one, running or waiting.
func TestOvertaking(t *testing.T) {
	for _, c := range []struct {
		older, newer hooks.Kind
		want         hooks.Outcome
	}{
		{hooks.Promote, hooks.Fence, hooks.Overtaken},
		{hooks.Promote, hooks.Demote, hooks.Overtaken},
		{hooks.Promote, hooks.Follow, hooks.Overtaken},
		{hooks.Promote, hooks.Promote, hooks.Overtaken},
		{hooks.Follow, hooks.Promote, hooks.Overtaken},
		{hooks.Follow, hooks.Follow, hooks.Overtaken},
		{hooks.Follow, hooks.Fence, hooks.Overtaken},
		{hooks.Follow, hooks.Demote, hooks.Done},
		{hooks.Fence, hooks.Promote, hooks.Done},
		{hooks.Fence, hooks.Demote, hooks.Done},
		{hooks.Demote, hooks.Promote, hooks.Done},
	} {
		t.Run(fmt.Sprintf("%s by %s", c.older, c.newer), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			// The older one of epoch 1 announces itself and lasts as long as it is let.
			script := sh(fmt.Sprintf(`[ $ELECTD_EPOCH = 1 ] || exit 0; touch %s/up; while [ ! -e %[1]s/go ]; do sleep 0.01; done`, dir))
			r, _ := runner(t, map[hooks.Kind]hooks.Hook{c.older: script, c.newer: script})
			a := newAnswers(t)
			r.Submit(hooks.Request{Kind: c.older, Epoch: 1}, a.of("running"))
			eventually(t, "the older one runs", func() bool { _, err := os.Stat(dir + "/up"); return err == nil })
			r.Submit(hooks.Request{Kind: c.newer, Epoch: 2}, a.of("newer"))
			if c.want == hooks.Done {
				time.Sleep(30 * time.Millisecond)
				if len(a.all) > 0 {
					t.Fatalf("answered before it was over: %+v", <-a.all)
				}
				os.WriteFile(dir+"/go", nil, 0o600)
			}
			a.expect("running", c.want)
			a.expect("newer", hooks.Done)
		})
	}
}

// A fence that waited for a demote hook of thirty seconds would be over long
// after the authority. It passes what runs and what waits, a promote that waits
// for the demote is answered as well, and what is asked for next still waits.
func TestAFenceDoesNotWaitForADemote(t *testing.T) {
	dir := t.TempDir()
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{
		hooks.Demote:  sh(fmt.Sprintf(`touch %s/up; until [ -e %[1]s/go ]; do sleep 0.01; done`, dir)),
		hooks.Promote: sh(fmt.Sprintf(`touch %s/promoted`, dir)),
		hooks.Follow:  sh(fmt.Sprintf(`[ -e %s/go ]`, dir)),
		hooks.Fence:   sh(fmt.Sprintf(`[ ! -e %s/go ]`, dir)),
	})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Demote, Epoch: 1}, a.of("demote 1"))
	eventually(t, "the demote hook runs", func() bool { return exists(dir + "/up") })
	r.Submit(hooks.Request{Kind: hooks.Demote, Epoch: 2}, a.of("demote 2"))
	r.Submit(hooks.Request{Kind: hooks.Promote, Epoch: 3}, a.of("promote"))
	r.Submit(hooks.Request{Kind: hooks.Fence, Epoch: 3}, a.of("fence"))
	a.expect("promote", hooks.Overtaken)
	a.expect("fence", hooks.Done)
	r.Submit(hooks.Request{Kind: hooks.Follow, Epoch: 4}, a.of("follow"))
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a.expect("demote 1", hooks.Done)
	a.expect("demote 2", hooks.Done)
	a.expect("follow", hooks.Done)
	if exists(dir + "/promoted") {
		t.Error("a promote hook ran after the fence was asked for")
	}
}

// A fence waits until a promote that it has overtaken is dead: nothing may
// become active after it.
func TestAFenceWaitsForTheEndOfAPromote(t *testing.T) {
	dir := t.TempDir()
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{
		hooks.Promote: sh(fmt.Sprintf(`echo $$ > %s/pid.new; mv %[1]s/pid.new %[1]s/pid; while :; do sleep 0.01; done`, dir)),
		hooks.Fence:   sh(fmt.Sprintf(`! kill -0 $(cat %s/pid)`, dir)),
	})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Promote, Epoch: 1}, a.of("promote"))
	eventually(t, "the promote hook runs", func() bool { return exists(dir + "/pid") })
	r.Submit(hooks.Request{Kind: hooks.Fence, Epoch: 1}, a.of("fence"))
	a.expect("promote", hooks.Overtaken)
	a.expect("fence", hooks.Done)
}

func TestSubmitNeverWaits(t *testing.T) {
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{hooks.Demote: sh("sleep 60")})
	a := newAnswers(t)
	begin := time.Now()
	var ids []string
	for i := range 50 {
		ids = append(ids, fmt.Sprint(i))
		r.Submit(hooks.Request{Kind: hooks.Demote}, a.of(ids[i]))
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("50 requests took %v", took)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.Close(ctx)
	a.expectAll(ids, hooks.Closed)
	r.Submit(hooks.Request{Kind: hooks.Demote}, a.of("late"))
	a.expect("late", hooks.Closed)
	r.Submit(hooks.Request{Kind: hooks.Fence}, a.of("late, no hook"))
	a.expect("late, no hook", hooks.Closed)
}

func TestCloseLetsWhatRunsComeToItsEnd(t *testing.T) {
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{hooks.Fence: sh("sleep 0.1")})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Fence}, a.of("1"))
	r.Close(t.Context())
	a.expect("1", hooks.Done)
}

func TestBadHooks(t *testing.T) {
	for _, c := range []struct {
		hooks map[hooks.Kind]hooks.Hook
		want  string
	}{
		{map[hooks.Kind]hooks.Hook{"promte": sh("")}, `"promte"`},
		{map[hooks.Kind]hooks.Hook{hooks.Fence: {}}, `hook "fence": no command`},
		{map[hooks.Kind]hooks.Hook{hooks.Fence: {Command: []string{"x"}, Timeout: -1}}, "negative"},
		{map[hooks.Kind]hooks.Hook{hooks.Fence: {Command: []string{"x"}, Env: map[string]string{"ELECTD_X": ""}}}, "ELECTD_X"},
	} {
		if _, err := hooks.New(hooks.Config{Hooks: c.hooks}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	r, _ := runner(t, map[hooks.Kind]hooks.Hook{hooks.Fence: {Command: []string{"/no/such"}}})
	a := newAnswers(t)
	r.Submit(hooks.Request{Kind: hooks.Fence}, a.of("1"))
	if got := a.expect("1", hooks.Failed); !strings.Contains(got.Err.Error(), "/no/such") {
		t.Errorf("got %v", got.Err)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in 20 s: %s", what)
		}
	}
}

func zombie(pid int) bool {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || body[bytes.LastIndexByte(body, ')')+2] == 'Z'
}

// A fence that fails is asked for again and again; that is said once, and once
// more when it had worked meanwhile.
func TestAFenceThatFailsIsNotSaidEachTime(t *testing.T) {
	works := t.TempDir() + "/works"
	r, log := runner(t, map[hooks.Kind]hooks.Hook{hooks.Fence: {Command: []string{"test", "-e", works}}})
	fence := func(want hooks.Outcome) {
		t.Helper()
		result := make(chan hooks.Result, 1)
		r.Submit(hooks.Request{Kind: hooks.Fence, Epoch: 3}, func(got hooks.Result) { result <- got })
		if got := <-result; got.Outcome != want {
			t.Fatalf("the fence is %s, want %s", got.Outcome, want)
		}
	}
	for range 5 {
		fence(hooks.Failed)
	}
	if n := strings.Count(log.String(), "[ERROR]"); n != 1 {
		t.Errorf("said %d times, want once:\n%s", n, log)
	}
	if err := os.WriteFile(works, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fence(hooks.Done)
	if err := os.Remove(works); err != nil {
		t.Fatal(err)
	}
	fence(hooks.Failed)
	if n := strings.Count(log.String(), "[ERROR]"); n != 2 {
		t.Errorf("said %d times after a fence that worked, want twice:\n%s", n, log)
	}
}
