package plugins

import (
	"os"
	"strconv"
	"syscall"
)

// keepDescriptors keeps from every child what this process has open without having
// opened it itself, such as a shell's electd 9<file: Go's own files never reach a
// child but by name.
func keepDescriptors() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
