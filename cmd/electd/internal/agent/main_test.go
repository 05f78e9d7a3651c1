package agent

import (
	"bytes"
	"os"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

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

// buffer is a log that may be looked at.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *buffer) logger() hclog.Logger { return hclog.New(&hclog.LoggerOptions{Output: b}) }
