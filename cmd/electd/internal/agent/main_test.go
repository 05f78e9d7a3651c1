package agent

import (
	"os"
	"testing"

	"github.com/electd/electd/cmd/electd/internal/builtin"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == builtin.Command {
		builtin.Find(os.Args[2]).Serve() // this program is the arbiter's process of the daemons under test
		return
	}
	os.Exit(m.Run())
}
