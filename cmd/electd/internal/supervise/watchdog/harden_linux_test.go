package watchdog_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// urgency is what the kernel says of a thread.
type urgency struct {
	policy   uint32
	priority uint32
	nice     int
}

func urgencies(t *testing.T, process int) (own urgency, others []urgency) {
	t.Helper()
	tasks, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(process), "task"))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		thread, _ := strconv.Atoi(task.Name())
		attr, err := unix.SchedGetAttr(thread, 0)
		if err != nil {
			continue // it has ended
		}
		u := urgency{attr.Policy, attr.Priority, int(attr.Nice)}
		if thread == process {
			own = u
		} else {
			others = append(others, u)
		}
	}
	return own, others
}

// All threads of the watchdog are equally urgent, since the one that keeps the
// deadline waits for others at times, and none is a real-time one.
func TestAllThreadsAreEquallyUrgent(t *testing.T) {
	r := start(t, "echo up; exec sleep 1000", nil)
	r.until(time.Minute)
	r.expect(watchdog.Started)
	if _, err := r.lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		own, others := urgencies(t, r.PID())
		unlike := 0
		for _, o := range others {
			if o != own {
				unlike++
			}
		}
		hardened := own.nice == -20 || time.Since(began) > 2*time.Second // or it may not
		if unlike == 0 && len(others) > 0 && hardened && own.policy == unix.SCHED_NORMAL {
			t.Logf("own %+v, others %+v", own, others)
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("own %+v, others %+v", own, others)
		}
	}
}

// What the watchdog runs does not inherit its urgency.
func TestProgramIsNotAsUrgentAsItsWatchdog(t *testing.T) {
	r := start(t, "echo up; exec sleep 1000", nil)
	r.until(time.Minute)
	pid := r.expect(watchdog.Started).PID
	if _, err := r.lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // harden comes after the start
	if own, _ := urgencies(t, pid); own.policy != unix.SCHED_NORMAL || own.nice == -20 {
		t.Errorf("the program runs with %+v", own)
	}
}
