package watchdog

import (
	"os"

	"golang.org/x/sys/unix"
)

// harden makes it likelier that the deadline is kept on a machine in trouble.
// All of it needs privileges and none of it is needed for the rules to hold, so
// errors are of no interest.
func harden() {
	// What is in memory stays there. Not MCL_FUTURE: without the privilege it
	// would make a later allocation fail.
	_ = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_ONFAULT)
	realtime := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: 1}
	if unix.SchedSetAttr(0, &realtime, 0) != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, -20)
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0)
}
