package ports

import (
	"net"
	"sync"
	"testing"
)

func TestNoPortIsHandedOutTwice(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:20003")
	if err == nil {
		defer func() { _ = busy.Close() }()
	}
	var (
		mu   sync.Mutex
		seen = map[int]bool{20003: true} // taken, by us or by somebody else
		all  sync.WaitGroup
	)
	for i := range 50 {
		if i == 25 { // whoever has another TMPDIR is given others as well
			all.Wait()
			t.Setenv("TMPDIR", t.TempDir())
		}
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
