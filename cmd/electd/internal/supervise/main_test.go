package supervise_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// The test binary is also the watchdog, the electd that a test may freeze or
// kill, and the program whose every living moment is witnessed.
func TestMain(m *testing.M) {
	// Under the race detector a process would sleep a second before it exits.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "watchdog":
			os.Exit(watchdog.Main())
		case "electd":
			os.Exit(standIn(os.Args[2:]))
		case "terminal":
			os.Exit(onTerminal(os.Args[2:]))
		case "witnessed":
			os.Exit(witnessed(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m)
}
