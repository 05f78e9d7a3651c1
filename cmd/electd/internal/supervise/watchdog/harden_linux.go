package watchdog

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// urgent is the priority of all threads, the highest of the ordinary ones. Not a
// real-time one: some system calls of the kernel go round and round until an
// ordinary process has done something, burying a child (wait4) until everybody has
// let go of its entries in /proc for one. A real-time thread keeps that process
// from running, for 950 ms, and killed that much late.
const urgent = -20

// harden makes it likelier that the deadline is kept on a machine in trouble.
// All of it needs privileges and none of it is needed for the rules to hold, so
// errors are of no interest.
func harden() {
	// What is in memory stays there. Not MCL_FUTURE: without the privilege it
	// would make a later allocation fail.
	_ = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_ONFAULT)
	// All threads alike: the one that keeps the deadline waits for others at times.
	eachThread(func(thread int) { _ = unix.Setpriority(unix.PRIO_PROCESS, thread, urgent) })
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0)
}

// eachThread calls do for every thread of this process, those included that are
// started meanwhile. One that a thread starts that do was called for is like it.
func eachThread(do func(thread int)) {
	known := map[int]bool{}
	for again := true; again; {
		again = false
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		for _, t := range tasks {
			thread, err := strconv.Atoi(t.Name())
			if err == nil && !known[thread] {
				known[thread], again = true, true
				do(thread)
			}
		}
	}
}
