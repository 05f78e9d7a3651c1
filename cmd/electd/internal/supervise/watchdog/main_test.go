package watchdog_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// The test binary is also the watchdog and the programs that it supervises.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "watchdog":
			os.Exit(watchdog.Main())
		case "program":
			os.Exit(program(os.Args[2:]))
		}
	}
	goleak.VerifyTestMain(m)
}
