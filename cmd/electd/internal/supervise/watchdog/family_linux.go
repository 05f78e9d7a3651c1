package watchdog

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/proctree"
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
	for _, c := range proctree.Children(os.Getpid()) {
		to := f.addressee(c)
		if !slices.Contains(sent, to) {
			sent = append(sent, to)
			_ = unix.Kill(to, s)
		}
	}
}

// kill is one round of killing everybody: the program's group, those that left it,
// and whoever is in the control group, all at once. That comes last, since others
// may hold the lock that it needs. Rounds follow until nobody is left, for those
// that were born in between.
func (f *family) kill() {
	if !f.exited {
		_ = unix.Kill(-f.leader, unix.SIGKILL)
	}
	strays := proctree.Hold(os.Getpid())
	f.signal(unix.SIGKILL)
	strays.Kill()
	strays.Release()
	f.cgroup.kill()
}

// rehearse goes the way of kill without harm.
func (f *family) rehearse() {
	strays := proctree.Hold(os.Getpid())
	f.signal(0)
	strays.Release()
}

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
