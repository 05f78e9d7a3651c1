package supervise_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
)

// witness is a file in memory that processes write the time into while they
// live: a slot each, first and last moment. One host, one clock.
type witness struct{ slots *[8]slot }

type slot struct{ pid, first, last atomic.Int64 }

func openWitness(path string) (witness, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return witness{}, err
	}
	defer f.Close()
	const size = int(unsafe.Sizeof([8]slot{}))
	if err := f.Truncate(int64(size)); err != nil {
		return witness{}, err
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return witness{}, err
	}
	return witness{slots: (*[8]slot)(unsafe.Pointer(&mem[0]))}, nil
}

// testWitness opens a witness for the time of a test.
func testWitness(t *testing.T, path string) witness {
	t.Helper()
	w, err := openWitness(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mem := unsafe.Slice((*byte)(unsafe.Pointer(w.slots)), unsafe.Sizeof(*w.slots))
		if err := unix.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	return w
}

// live writes the time until somebody kills the process.
func (w witness) live(n int) {
	s := &w.slots[n]
	s.pid.Store(int64(os.Getpid()))
	s.first.CompareAndSwap(0, int64(boottime.Now()))
	for {
		s.last.Store(int64(boottime.Now()))
		time.Sleep(200 * time.Microsecond)
	}
}

// alive says whether the first n processes have been seen.
func (w witness) alive(n int) bool {
	for i := range n {
		if w.slots[i].last.Load() == 0 {
			return false
		}
	}
	return true
}

func (w witness) pids(n int) (pids []int) {
	for i := range n {
		pids = append(pids, int(w.slots[i].pid.Load()))
	}
	return pids
}

// last is the last moment at which any of them lived.
func (w witness) last() (last boottime.Instant) {
	for i := range w.slots {
		last = max(last, boottime.Instant(w.slots[i].last.Load()))
	}
	return last
}

// lastOf is the last moment at which the nth process lived.
func (w witness) lastOf(n int) boottime.Instant { return boottime.Instant(w.slots[n].last.Load()) }

// witnessed is a program with everything that is hard to find: a child in its
// group, one in a session of its own, and one there whose parent is gone. All
// ignore SIGTERM.
//
//	witnessed FILE [SLOT]
func witnessed(args []string) int {
	ignoreTerm()
	w, err := openWitness(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	role := "0"
	if len(args) > 1 {
		role = args[1]
	}
	child := func(role string, own bool) error {
		c := exec.Command("/proc/self/exe", "witnessed", args[0], role)
		c.Stderr = os.Stderr
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: own}
		return c.Start()
	}
	switch role {
	case "0":
		for _, c := range []struct {
			role string
			own  bool
		}{{"1", false}, {"2", true}, {"gone", true}} {
			if err := child(c.role, c.own); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
	case "gone":
		if err := child("3", true); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	n, err := strconv.Atoi(role)
	if err != nil {
		return 1
	}
	w.live(n)
	return 0
}

const witnesses = 4
