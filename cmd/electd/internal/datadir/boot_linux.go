package datadir

import (
	"os"
	"strings"
)

// bootID names the running kernel, from boot to shutdown; empty if unknown.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
