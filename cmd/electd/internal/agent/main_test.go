package agent

import (
	"os"
	"testing"

	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == builtin.Command {
		builtin.Find(os.Args[2]).Serve() // this program is the arbiter's process of the daemons under test
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "watchdog" {
		os.Exit(watchdog.Main())
	}
	os.Exit(m.Run())
}
