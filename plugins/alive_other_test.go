//go:build !linux

package plugins_test

import "time"

func alive(pid int) bool { return !gone(pid) }

// frozen cannot be looked up here, so it waits.
func frozen(int) bool {
	time.Sleep(200 * time.Millisecond)
	return true
}
