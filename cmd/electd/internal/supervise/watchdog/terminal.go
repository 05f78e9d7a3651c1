package watchdog

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is the terminal that a program in the foreground controls.
type terminal struct {
	group  int // the group that had it before
	modes  *unix.Termios
	active bool
}

const terminalFD = 0

// takeTerminal says whether the program can have the terminal on standard
// input: only if electd itself is in the foreground there.
func takeTerminal(wanted bool) *terminal {
	t := &terminal{}
	if !wanted {
		return t
	}
	var err error
	if t.group, err = unix.IoctlGetInt(terminalFD, unix.TIOCGPGRP); err != nil {
		return t
	}
	mine, err := unix.Getpgid(os.Getppid())
	t.active = err == nil && mine == t.group
	if t.active {
		t.modes, _ = unix.IoctlGetTermios(terminalFD, getModes)
	}
	return t
}

// giveBack makes electd's group the foreground again, in the modes that the
// program found: one that was killed had no chance to restore them.
func (t *terminal) giveBack() {
	if !t.active {
		return
	}
	signal.Ignore(syscall.SIGTTOU) // from the background, asking would stop us
	_ = unix.IoctlSetPointerInt(terminalFD, unix.TIOCSPGRP, t.group)
	if t.modes != nil {
		_ = unix.IoctlSetTermios(terminalFD, setModes, t.modes)
	}
}
