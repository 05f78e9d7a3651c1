package datadir

import "golang.org/x/sys/unix"

// bootID names the running kernel, from boot to shutdown; empty if unknown.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
