package service

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/client"
)

// beaconFolder is the environment variable that turns this test's program into
// the one that electd supervises: it, a child in a session of its own and that
// one's child each write the machine's clock into a file, again and again.
const beaconFolder = "E2E_BEACON"

// A beacon's file holds when it began and when it last lived, in nanoseconds of
// the clock that all processes of the machine share.
func beacon() {
	began := clock()
	depth, _ := strconv.Atoi(os.Getenv("E2E_DEPTH"))
	if depth < 2 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), fmt.Sprintf("E2E_DEPTH=%d", depth+1))
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go child.Wait()
	}
	path := filepath.Join(os.Getenv(beaconFolder), os.Getenv("ELECTD_EPOCH")+"."+strconv.Itoa(depth))
	file, err := os.Create(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		if _, err := file.WriteAt(fmt.Appendf(nil, "%020d %020d", began, clock()), 0); err != nil {
			os.Exit(1)
		}
		time.Sleep(200 * time.Microsecond)
	}
}

func clock() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// lived reads when a process of an epoch began and when it last lived.
func lived(folder string, epoch uint64, depth int) (began, last int64, ok bool) {
	text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%d.%d", epoch, depth)))
	if err != nil || len(text) != 41 {
		return 0, 0, false
	}
	_, err = fmt.Sscan(strings.TrimLeft(string(text[:20]), "0"), &began)
	_, err2 := fmt.Sscan(strings.TrimLeft(string(text[21:]), "0"), &last)
	return began, last, err == nil && err2 == nil
}

// With electd frozen, its program, the program's child and grandchild are dead
// before the other node's program starts.
func TestFrozenDaemonsProgramIsDeadBeforeTheNextStarts(t *testing.T) {
	t.Parallel()
	rounds := 50
	if !soak(t, "3 freezes instead of 50") {
		rounds = 3
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := workplace(t)
	a, b := paired(t, fmt.Sprintf("  run {\n    command      = [%q]\n    env          = { %s = %q }\n    stop_timeout = \"100ms\"\n  }\n", self, beaconFolder, folder))
	for _, d := range []*daemon{a, b} { // a lease that makes 50 rounds bearable
		d.edit(`heartbeat_lease = "3s"`, `heartbeat_lease = "1500ms"`)
		d.edit(`fence_margin = "1s"`, `fence_margin = "500ms"`)
		d.start()
	}
	smallest := time.Duration(1 << 62)
	for range rounds {
		leader, follower := carriedOne(t, a, b)
		epoch := leader.wait("leading", carried).Epoch
		eventually(t, "its processes live", func() bool {
			_, _, ok := lived(folder, epoch, 2)
			return ok
		})
		leader.signal(syscall.SIGSTOP)
		next := follower.wait("leading", func(e client.Election) bool { return e.Leading && e.Epoch > epoch })
		var began int64
		eventually(t, "its program runs", func() bool {
			var ok bool
			began, _, ok = lived(folder, next.Epoch, 0)
			return ok
		})
		time.Sleep(50 * time.Millisecond) // whoever still lives shows it
		for depth := range 3 {
			_, last, ok := lived(folder, epoch, depth)
			if !ok {
				t.Fatalf("epoch %d, process %d left no sign of life", epoch, depth)
			}
			gap := time.Duration(began - last)
			smallest = min(smallest, gap)
			if gap <= 0 {
				t.Errorf("process %d of epoch %d lived %s after the program of epoch %d had begun", depth, epoch, -gap, next.Epoch)
			}
		}
		leader.signal(syscall.SIGCONT)
		leader.wait("following after the thaw", func(e client.Election) bool { return e.Role == "follower" })
	}
	t.Logf("%d freezes; the smallest gap between the last sign of life and the next program's start is %s", rounds, smallest)
}
