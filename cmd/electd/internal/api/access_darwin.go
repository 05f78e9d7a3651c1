package api

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func credentials(fd int, otherwise string) string {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return otherwise
	}
	return fmt.Sprintf("user %d", c.Uid)
}
