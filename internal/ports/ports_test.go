package ports

import (
	"net"
	"sync"
	"testing"
)

func TestNoPortIsHandedOutTwice(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	busy, err := net.Listen("tcp", "127.0.0.1:20003")
	if err == nil {
		defer func() { _ = busy.Close() }()
	}
	var (
		mu   sync.Mutex
		seen = map[int]bool{20003: true} // taken, by us or by somebody else
		all  sync.WaitGroup
	)
	for range 50 {
		all.Go(func() {
			port, err := Free()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if seen[port] || port < first || port > last {
				t.Errorf("port %d again, or out of bounds", port)
			}
			seen[port] = true
		})
	}
	all.Wait()
}
