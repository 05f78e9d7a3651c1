package file

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// stampName is the extended attribute that says when a record was stored.
const stampName = "user.electd.stored"

// The wall clock can step forward, and an age that is too large makes a second
// leader. So the age is told by a clock that runs, also through suspension, from
// the machine's start to its end. The stamp is set after the rename and is not
// made durable: it means nothing after the next start. Where it is missing
// (killed in between, a copied file, no extended attributes) the age is unknown.

// stamp notes on f, the record just stored, what the machine's clock shows.
func stamp(f *os.File) {
	if boot, up, err := uptime(); err == nil {
		_ = unix.Fsetxattr(int(f.Fd()), stampName, fmt.Appendf(nil, "%s %d", boot, up), 0)
	}
}

// age returns how long ago the record open as f was stored, zero where unknown.
// It is never more than what the wall clock says: two containers may have been
// given different clocks.
func age(f *os.File, byWallClock time.Duration) time.Duration {
	text := make([]byte, 128)
	n, err := unix.Fgetxattr(int(f.Fd()), stampName, text)
	if err != nil {
		return 0
	}
	var stampBoot string
	var stored time.Duration
	if _, err := fmt.Sscanf(string(text[:n]), "%s %d", &stampBoot, &stored); err != nil {
		return 0
	}
	boot, up, err := uptime()
	if err != nil || boot != stampBoot {
		return 0
	}
	return max(0, min(up-stored, byWallClock))
}
