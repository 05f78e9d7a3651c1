package watchdog

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
)

// KillStrays kills what a watchdog that was itself killed left behind. Its
// program inherited the lock, so whoever holds it is of that run. As long as the
// watchdog is among them it does its work, and nobody is killed.
func KillStrays(lock string, watchdog int) {
	holders := lockfile.Holders(lock)
	if watchdog == 0 || slices.Contains(holders, watchdog) {
		return
	}
	for _, pid := range holders {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// KillCgroup kills every process in the control group that a Started event
// named. Without one it does nothing.
func KillCgroup(folder string) {
	if folder != "" {
		_ = os.WriteFile(filepath.Join(folder, "cgroup.kill"), []byte("1"), 0)
	}
}

// RemoveCgroup removes the control group of a watchdog that could not. The next
// one would use it again, so it is no harm if that fails.
func RemoveCgroup(folder string) {
	if folder != "" {
		removeEmpty(folder)
	}
}

// removeEmpty removes a control group. A process that has let go of its files
// may be in it for a moment longer.
func removeEmpty(folder string) {
	for range 100 {
		if err := unix.Rmdir(folder); err != unix.EBUSY {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
