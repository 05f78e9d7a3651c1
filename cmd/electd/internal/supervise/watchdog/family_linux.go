package watchdog

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes every descendant whose parent dies a child of ours, also
// one that left the group and the session. So no child means no descendant.
func adoptOrphans() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// fork starts the program in the control group if there is one. It dies with
// this thread, should the watchdog be killed.
func (f *family) fork(path string, args []string, attr *syscall.ProcAttr) (int, error) {
	attr.Sys.Pdeathsig = syscall.SIGKILL
	if f.cgroup != nil {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, f.cgroup.dir
		if pid, err := syscall.ForkExec(path, args, attr); err == nil {
			return pid, nil
		}
		// Kernels before 5.7 and some sandboxes cannot start a process in a
		// control group.
		f.cgroup.remove()
		f.cgroup = nil
		attr.Sys.UseCgroupFD = false
	}
	return syscall.ForkExec(path, args, attr)
}

// lastOne: no child is left, hence no descendant (adoptOrphans).
func (f *family) lastOne() bool { return true }

// signal sends a signal to the group of every child: the program, and what it
// left behind.
func (f *family) signal(s syscall.Signal) {
	var sent []int
	for _, c := range children() {
		to := f.addressee(c)
		if !slices.Contains(sent, to) {
			sent = append(sent, to)
			_ = unix.Kill(to, s)
		}
	}
}

// kill is one round of killing everybody. What was a grandchild outside the
// group is a child in the next round; where there is a control group or nobody
// left the process group, there is only one round.
func (f *family) kill() {
	f.cgroup.kill()
	if !f.exited {
		_ = unix.Kill(-f.leader, unix.SIGKILL)
	}
	f.signal(unix.SIGKILL)
}

// rehearse goes the way of kill without harm.
func (f *family) rehearse() { f.signal(0) }

// addressee is whom to signal for a child that has not been waited for, so that
// neither its id nor its group's can be somebody else's: its whole group if it
// is one that only descendants can be in, else the child alone.
func (f *family) addressee(child int) int {
	group, err := unix.Getpgid(child)
	if err == nil && (group == child || group == f.leader) {
		return -group
	}
	return child
}

func (f *family) close() { f.cgroup.remove() }

// children lists the processes whose parent we are, those that have ended but
// were not waited for included.
func children() []int {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	var all []int
	for _, t := range threads {
		body, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if os.IsNotExist(err) {
			if _, err := os.Stat("/proc/self/task/" + t.Name()); err == nil {
				return childrenByParent() // a kernel without this list
			}
		}
		for _, word := range bytes.Fields(body) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}

// childrenByParent finds the same by asking every process for its parent.
func childrenByParent() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		body, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		// pid (name) state parent …; the name may hold anything, also ')'.
		fields := bytes.Fields(body[bytes.LastIndexByte(body, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid()) {
			all = append(all, pid)
		}
	}
	return all
}
