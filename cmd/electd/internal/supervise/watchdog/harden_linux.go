package watchdog

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Real-time priorities. This thread, which keeps the deadline, comes before all
// ordinary ones. The Go runtime's other threads come before it: when it returns
// from a system call it may have to spin until one of them has let go of it, and
// if it had pre-empted that one it would spin until the kernel's real-time limit
// ends it, 950 ms later.
const (
	ownPriority    = 1
	othersPriority = 2
)

// harden makes it likelier that the deadline is kept on a machine in trouble.
// All of it needs privileges and none of it is needed for the rules to hold, so
// errors are of no interest.
func harden() {
	// What is in memory stays there. Not MCL_FUTURE: without the privilege it
	// would make a later allocation fail.
	_ = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_ONFAULT)
	if !hurry() {
		eachThread(func(thread int) { _ = unix.Setpriority(unix.PRIO_PROCESS, thread, -20) })
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0)
}

// hurry gives all threads their real-time priorities, the others first, so that
// at no moment one is less urgent than this one.
func hurry() bool {
	own, done := unix.Gettid(), true
	eachThread(func(thread int) {
		if thread != own && realtime(thread, othersPriority) != nil {
			done = false
		}
	})
	return done && realtime(own, ownPriority) == nil
}

func realtime(thread int, priority uint32) error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: priority}
	return unix.SchedSetAttr(thread, &attr, 0)
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
