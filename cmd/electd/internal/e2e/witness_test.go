package e2e

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"
)

// attempt is one attempt to write, as the witness saw it.
type attempt struct {
	at    time.Time
	epoch uint64
	node  string
}

// witness is the protected resource: it takes down every attempt on one clock.
// It does not refuse an older epoch, it fails the test: a program must be dead
// before the next one starts.
type witness struct {
	t        *testing.T
	listener net.Listener
	silent   bool // nobody needs to write

	mu     sync.Mutex
	last   attempt
	first  map[uint64]attempt // of every epoch
	count  int
	behind []attempt // attempts at an epoch after a newer one
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{t: t, listener: l, first: map[uint64]attempt{}}
	go w.serve()
	t.Cleanup(func() { l.Close() })
	return w
}

func (w *witness) address() string { return w.listener.Addr().String() }

func (w *witness) serve() {
	for {
		conn, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.read(conn)
	}
}

func (w *witness) read(conn net.Conn) {
	defer conn.Close()
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		a := attempt{at: time.Now()}
		if _, err := fmt.Sscan(lines.Text(), &a.epoch, &a.node); err != nil {
			w.t.Errorf("the program wrote %q", lines.Text())
			return
		}
		w.take(a)
	}
}

func (w *witness) take(a attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	if a.epoch < w.last.epoch {
		w.behind = append(w.behind, a)
		return
	}
	if _, ok := w.first[a.epoch]; !ok {
		w.first[a.epoch] = a
	}
	w.last = a
}

// writerAfter waits until somebody writes at an epoch above the given one.
func (w *witness) writerAfter(epoch uint64, within time.Duration) attempt {
	w.t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		w.mu.Lock()
		last := w.last
		first := w.first[last.epoch]
		w.mu.Unlock()
		if last.epoch > epoch {
			return first
		}
	}
	w.t.Fatalf("nobody writes at an epoch above %d within %s", epoch, within)
	return attempt{}
}

// check fails the test if anybody wrote after a newer epoch had.
func (w *witness) check() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.behind {
		w.t.Errorf("%s wrote at epoch %d, %s after epoch %d had begun", a.node, a.epoch, a.at.Sub(w.first[a.epoch+1].at), a.epoch+1)
	}
	if w.count == 0 && !w.silent {
		w.t.Error("nobody ever wrote")
	}
	w.t.Logf("the witness took down %d attempts at %d epochs", w.count, len(w.first))
}
