//go:build !linux

package lockfile

// Holders lists the processes through which the lock at path is held. Only
// Linux tells.
func Holders(string) []int { return nil }
