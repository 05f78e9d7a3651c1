//go:build !linux

package plugins

import "syscall"

// attributes puts the process into a group of its own, out of reach of Ctrl-C
// and of signals to the host's group. That the host is gone the plugin learns
// from the end of its standard input alone.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
