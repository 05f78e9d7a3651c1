package plugins

import "syscall"

// attributes puts the process into a group of its own, out of reach of Ctrl-C
// and of signals to the host's group, and has the kernel kill it when the
// thread that started it ends: that thread lives as long as the host.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
