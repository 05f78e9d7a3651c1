package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/internal/servers"
)

// blow is one thing that happens to a pair that runs. It may be withheld where it
// would be one too many.
type blow struct {
	name   string
	strike func(s *storm, m *machine) (struck bool)
}

// storm strikes a pair at random moments.
type storm struct {
	*pair
	random *rand.Rand
	store  *relay
	links  [2]*relay // to the node of that index
	heal   []func()  // what is to be undone
	blows  map[string]int

	// Whose watchdog was struck since the last calm. A watchdog that was frozen does
	// not know of a deadline that has become sooner meanwhile. Its electd does, and
	// is the only one: so it is not struck after its watchdog.
	watchdog map[*machine]bool
}

// blows are all there are. What stays broken for a while is healed in a calm.
var blows = []blow{
	{"kill electd", func(s *storm, m *machine) bool {
		if s.watchdog[m] {
			return false
		}
		m.kill()
		s.later(m.restart)
		return true
	}},
	{"freeze electd", func(s *storm, m *machine) bool {
		if s.watchdog[m] {
			return false
		}
		m.signal(syscall.SIGSTOP) // until the calm
		return true
	}},
	{"end electd", func(s *storm, m *machine) bool {
		m.signal(syscall.SIGTERM)
		ended := m.exited
		s.later(func() {
			<-ended
			m.restart()
		})
		return true
	}},
	{"kill the watchdog", func(s *storm, m *machine) bool {
		s.watchdog[m] = true
		return m.strikeChild("watchdog", syscall.SIGKILL) != 0
	}},
	{"freeze the watchdog", func(s *storm, m *machine) bool {
		s.watchdog[m] = true
		return s.thaw(m.strikeChild("watchdog", syscall.SIGSTOP))
	}},
	{"kill the arbiter", func(s *storm, m *machine) bool { return m.strikeChild(builtin.Command, syscall.SIGKILL) != 0 }},
	{"freeze the arbiter", func(s *storm, m *machine) bool { return s.thaw(m.strikeChild(builtin.Command, syscall.SIGSTOP)) }},
	{"store", func(s *storm, _ *machine) bool {
		s.store.set(s.anyFault())
		s.later(func() { s.store.set(none, 0) })
		return true
	}},
	{"link", func(s *storm, _ *machine) bool {
		link := s.links[s.random.IntN(2)]
		link.set(s.anyFault())
		s.later(func() { link.set(none, 0) })
		return true
	}},
	{"step down", func(s *storm, m *machine) bool {
		ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Second)
		defer cancel()
		_, err := m.api.StepDown(ctx, "orders", "") // it may be frozen, or have nobody to hand over to
		return err == nil
	}},
}

func (s *storm) anyFault() (fault, time.Duration) {
	return []fault{slow, cut, swallow, silent}[s.random.IntN(4)], s.upTo(800 * time.Millisecond)
}

func (s *storm) upTo(d time.Duration) time.Duration { return time.Duration(s.random.Int64N(int64(d))) }

// later undoes something after a while.
func (s *storm) later(undo func()) { s.heal = append(s.heal, undo) }

// thaw continues a process after a while, if there is one.
func (s *storm) thaw(pid int) bool {
	if pid != 0 {
		s.later(func() { syscall.Kill(pid, syscall.SIGCONT) })
	}
	return pid != 0
}

// calm undoes everything.
func (s *storm) calm() {
	for _, m := range s.nodes {
		m.cmd.Process.Signal(syscall.SIGCONT)
	}
	for _, undo := range s.heal {
		undo()
	}
	s.heal = nil
	if len(s.watchdog) > 0 {
		time.Sleep(200 * time.Millisecond) // for electd to see that its watchdog is gone
	}
	clear(s.watchdog)
}

// alive reports whether the machine's electd runs, frozen or not.
func (m *machine) alive() bool {
	select {
	case <-m.exited:
		return false
	default:
		return true
	}
}

// restart starts electd if it does not run.
func (m *machine) restart() {
	if !m.alive() {
		m.start()
	}
}

// strikeChild sends a signal to a child of the machine's electd and returns its
// id, 0 if there is none.
func (m *machine) strikeChild(argument string, signal syscall.Signal) int {
	for _, pid := range children(m.cmd.Process.Pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(text), argument) {
			syscall.Kill(pid, signal)
			return pid
		}
	}
	return 0
}

func children(pid int) []int {
	var out []int
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for _, field := range strings.Fields(string(text)) {
			var child int
			fmt.Sscan(field, &child)
			out = append(out, child)
		}
	}
	return out
}

// newStorm configures a pair whose links and whose store can be struck.
func newStorm(t *testing.T, seed uint64) *storm {
	t.Helper()
	real := servers.Versitygw(t)
	u, err := url.Parse(real.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	s := &storm{random: rand.New(rand.NewPCG(seed, 0)), store: newRelay(t, u.Host), blows: map[string]int{}, watchdog: map[*machine]bool{}}
	real.Endpoint = "http://" + s.store.address()
	s.pair = newPair(t, real, "")
	for i, m := range s.nodes {
		s.links[i] = newRelay(t, m.peer)
		s.nodes[1-i].edit(fmt.Sprintf("address = %q", m.peer), fmt.Sprintf("address = %q", s.links[i].address()))
	}
	return s
}

// rage strikes for a while, and then has the pair settle in calm.
func (s *storm) rage(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		b, m := blows[s.random.IntN(len(blows))], s.nodes[s.random.IntN(2)]
		if m.alive() && b.strike(s, m) {
			s.blows[b.name]++
			s.t.Logf("%s %s %s", time.Now().UTC().Format("15:04:05.000"), b.name, m.name)
		}
		time.Sleep(s.upTo(2500 * time.Millisecond))
		if s.random.IntN(2) == 0 {
			s.calm()
		}
	}
	s.calm()
	s.t.Log("calm")
}

// TestStorm: whatever happens to processes, links and the store, and whenever,
// no program writes once one of a later epoch has begun, no two nodes write at
// one epoch, and in the calm after it one leads again.
func TestStorm(t *testing.T) {
	t.Parallel()
	rages, each := 1, 12*time.Second
	if os.Getenv("ELECTD_SOAK") != "" {
		rages, each = 10, time.Minute
	} else {
		t.Log("ELECTD_SOAK is not set: a short storm")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := newStorm(t, seed)
	for _, m := range s.nodes {
		m.start()
	}
	_, _, epoch := s.settle()
	for range rages {
		s.rage(each)
		leader, _, after := s.settle()
		s.witness.writerAfter(after-1, late)
		t.Logf("%d epochs later %s leads; %v", after-epoch, leader.name, s.blows)
		epoch = after
	}
}
