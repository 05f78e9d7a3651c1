package api

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func credentials(fd int, otherwise string) string {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return otherwise
	}
	return fmt.Sprintf("user %d, process %d", c.Uid, c.Pid)
}
