//go:build !linux

package watchdog

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans: not possible here. A descendant that leaves the group is not
// found; it holds the lock on as long as it lives.
func adoptOrphans() error { return nil }

func (f *family) fork(path string, args []string, attr *syscall.ProcAttr) (int, error) {
	return syscall.ForkExec(path, args, attr)
}

// lastOne: the program was waited for; the group may have others.
func (f *family) lastOne() bool { return unix.Kill(-f.leader, 0) != nil }

// signal sends a signal to the program's group.
func (f *family) signal(s syscall.Signal) { _ = unix.Kill(-f.leader, s) }

// kill is one round of killing everybody.
func (f *family) kill() { f.signal(unix.SIGKILL) }

// rehearse goes the way of kill without harm.
func (f *family) rehearse() { f.signal(0) }

func (f *family) close() {}
