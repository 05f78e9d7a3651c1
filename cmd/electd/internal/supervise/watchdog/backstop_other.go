//go:build !linux

package watchdog

import "github.com/electd/electd/cmd/electd/internal/supervise/boottime"

// backstop is something that only Linux has.
type backstop struct{}

func newBackstop() *backstop { return nil }

func (*backstop) set(boottime.Instant) {}
