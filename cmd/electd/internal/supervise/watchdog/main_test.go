package watchdog_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// The test binary is also the watchdog.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "watchdog" {
		os.Exit(watchdog.Main())
	}
	// Under the race detector a process would sleep a second before it exits.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}
