package supervise_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// killAllowance is what electd subtracts from its authority for the deadline
// (design 8.3, the default).
const killAllowance = 50 * time.Millisecond

// A frozen leader's program, with all that it started, is dead before the other
// node's program starts, which is when the authority ends. The last moment of
// the one and the first of the other are witnessed by the processes themselves.
func TestFrozenElectd(t *testing.T) {
	rounds := freezeRounds(t)
	smallest := time.Hour
	stalled := stalls(t)
	for i := range rounds {
		cgroup := []string{"yes", "no"}[i%2]
		late := judged(t, func() (late, stall time.Duration) { return freezeOnce(t, cgroup, stalled) })
		smallest = min(smallest, -late)
	}
	t.Logf("%d rounds, smallest gap %v before the authority ends", rounds, smallest)
	fmt.Printf("frozen electd: %d rounds, no overlap; smallest gap %v (kill allowance %v)\n", rounds, smallest, killAllowance)
}

// judged returns how late once found a process to have lived, which must not be at
// all. The kill allowance is for a machine that lets the watchdog run: where it let
// nobody run for a fifth of it, it was the machine that was late, and once is called
// again.
func judged(t *testing.T, once func() (late, stall time.Duration)) time.Duration {
	t.Helper()
	for range 5 {
		late, stall := once()
		if late <= 0 {
			return late
		}
		if stall <= killAllowance/5 {
			t.Fatalf("a process lived %v longer than it may, and the machine stood still for %v at most", late, stall)
		}
		t.Logf("a process lived %v longer than it may, but the machine stood still for %v", late, stall)
	}
	t.Fatal("the machine stood still each time")
	return 0
}

// freezeRounds is 50 for a soak, else a few, and what ELECTD_FREEZE_ROUNDS says for
// a long one.
func freezeRounds(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("ELECTD_FREEZE_ROUNDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if os.Getenv("ELECTD_SOAK") != "" {
		return 50
	}
	t.Log("ELECTD_SOAK is not set: 8 rounds instead of 50")
	return 8
}

// freezeOnce returns the time from the end of authority to the last life sign, and
// for how long the machine stood still meanwhile.
func freezeOnce(t *testing.T, cgroup string, stalled func() time.Duration) (late, stall time.Duration) {
	const lease = 100 * time.Millisecond
	dir := t.TempDir()
	lock, here := filepath.Join(dir, "lock"), filepath.Join(dir, "here")
	w := testWitness(t, here)
	electd, said := startStandIn(t, lock, lease, cgroup, "/proc/self/exe", "witnessed", here)
	eventually(t, "the program and its children live", func() bool { return w.alive(witnesses) })

	// From now on it lives from lease to lease, until it is frozen at some moment.
	if err := electd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(said, make([]byte, 4*len("a lease ahead\n"))); err != nil {
		t.Fatal(err)
	}
	stalled()
	if err := electd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "electd is frozen", func() bool { return stopped(electd.Process.Pid) })
	// Whatever it wrote before, no deadline is later than this.
	authority := boottime.In(lease).Add(killAllowance)
	time.Sleep(authority.Left())
	next := supervise.Program{Election: "orders", Command: []string{"/bin/true"}, Lock: filepath.Join(dir, "other-node"), StopTimeout: time.Second}.Start(2, boottime.In(time.Minute))
	defer next.Exit()

	// One that was not run for a while may show only later that it lives.
	eventually(t, "they are dead, or live on", func() bool {
		return w.last() > authority || !slices.ContainsFunc(w.pids(witnesses), func(pid int) bool { return !ended(pid) })
	})
	late, stall = w.last().Sub(authority), stalled()
	if late > 0 {
		// Nobody but electd finds who has left the group of a watchdog that was late.
		if err := electd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the lock proves the program dead", func() bool { return lockFree(t, lock) })
	mustBeEnded(t, w.pids(witnesses)...)
	return late, stall
}

// With electd and its watchdog frozen at once nobody is left who could keep the
// deadline but the kernel: at the end of the authority it kills the program with
// its process group. Who has left the group lives until either of them goes on.
func TestFrozenWithItsWatchdog(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills in the place of a watchdog that is stopped")
	}
	const lease = 300 * time.Millisecond
	for _, first := range []string{"electd", "watchdog"} {
		t.Run(first+" first", func(t *testing.T) {
			dir := t.TempDir()
			lock, here := filepath.Join(dir, "lock"), filepath.Join(dir, "here")
			w := testWitness(t, here)
			electd, said := startStandIn(t, lock, lease, "no", "/proc/self/exe", "witnessed", here)
			eventually(t, "the program and its children live", func() bool { return w.alive(witnesses) })
			if err := electd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(said, make([]byte, 4*len("a lease ahead\n"))); err != nil {
				t.Fatal(err)
			}
			frozen := []int{electd.Process.Pid, parent(t, w.pids(1)[0])}
			if first == "watchdog" {
				frozen[0], frozen[1] = frozen[1], frozen[0]
			}
			for _, pid := range frozen {
				if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				eventually(t, "it is frozen", func() bool { return stopped(pid) })
			}
			if first == "watchdog" {
				// electd may have continued it before it was frozen itself.
				if err := syscall.Kill(frozen[0], syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			}
			authority := boottime.In(lease).Add(killAllowance)
			eventually(t, "the program's group is dead", func() bool { return ended(w.pids(1)[0]) && ended(w.pids(2)[1]) })
			if last := max(w.lastOf(0), w.lastOf(1)); last > authority.Add(50*time.Millisecond) {
				t.Errorf("the group lived %v after the authority", last.Sub(authority))
			} else {
				t.Logf("the group's last sign of life came %v before the authority's end", authority.Sub(last))
			}
			if lockFree(t, lock) {
				t.Error("the lock is free while some of the program live")
			}
			if err := electd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the lock proves the program dead", func() bool { return lockFree(t, lock) })
			mustBeEnded(t, w.pids(witnesses)...)
		})
	}
}

// parent is the parent of a process.
func parent(t *testing.T, pid int) int {
	t.Helper()
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(body), ") ")
	n, err := strconv.Atoi(strings.Fields(rest)[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKilledElectd(t *testing.T) {
	for _, cgroup := range []string{"yes", "no"} {
		t.Run("cgroup "+cgroup, func(t *testing.T) {
			dir := t.TempDir()
			lock, here := filepath.Join(dir, "lock"), filepath.Join(dir, "here")
			w := testWitness(t, here)
			electd, _ := startStandIn(t, lock, time.Minute, cgroup, "/proc/self/exe", "witnessed", here)
			eventually(t, "the program and its children live", func() bool { return w.alive(witnesses) })
			if lockFree(t, lock) {
				t.Fatal("the lock is free while the program lives")
			}
			electd.Process.Kill()
			// Long before the deadline, which is a minute away: the program ignores
			// SIGTERM and its stop timeout is short.
			eventually(t, "the lock proves the program dead", func() bool { return lockFree(t, lock) })
			mustBeEnded(t, w.pids(witnesses)...)
		})
	}
}

// Killed at any moment of the start: once the lock is found free, nothing of the
// program lives or will.
func TestElectdKilledWhileItStarts(t *testing.T) {
	started := 0
	for i := range 20 {
		dir := t.TempDir()
		lock, here := filepath.Join(dir, "lock"), filepath.Join(dir, "here")
		w := testWitness(t, here)
		electd, _ := startStandIn(t, lock, time.Minute, "no", "/proc/self/exe", "witnessed", here, "0")
		time.Sleep(time.Duration(i) * 8 * time.Millisecond)
		electd.Process.Kill()
		electd.Wait()
		eventually(t, "the lock is free", func() bool { return lockFree(t, lock) })
		free := boottime.Now()
		time.Sleep(50 * time.Millisecond)
		if last := w.last(); last > free {
			t.Errorf("killed after %d ms, the program lived %v after the lock was free", 8*i, last.Sub(free))
		} else if last > 0 {
			started++
		}
	}
	t.Logf("in %d of 20 rounds the program had started", started)
}

// Once SetDeadline has returned, a sooner deadline holds even if electd is
// frozen at that moment.
func TestASoonerDeadlineHoldsAtOnce(t *testing.T) {
	stalled := stalls(t)
	judged(t, func() (late, stall time.Duration) {
		dir := t.TempDir()
		here := filepath.Join(dir, "here")
		w := testWitness(t, here)
		p := supervise.Program{
			Election: "orders", Lock: filepath.Join(dir, "lock"), StopTimeout: time.Second,
			Command: []string{"/proc/self/exe", "witnessed", here},
		}
		r := p.Start(1, boottime.In(time.Minute))
		eventually(t, "the program and its children live", func() bool { return w.alive(witnesses) })
		stalled()
		deadline := boottime.In(100 * time.Millisecond)
		if err := r.SetDeadline(deadline); err != nil {
			t.Fatal(err)
		}
		e := r.Exit()
		late, stall = w.last().Sub(deadline.Add(killAllowance)), stalled()
		if late <= 0 && (e.Cause != "deadline" || e.Err == nil) {
			t.Errorf("got %+v", e)
		}
		mustBeEnded(t, w.pids(witnesses)...)
		return late, stall
	})
}

func stopped(pid int) bool { return state(pid) == 'T' }
