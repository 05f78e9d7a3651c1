package e2e

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"
)

// attempt is one attempt to write.
type attempt struct {
	at    time.Time     // when it arrived
	begun time.Duration // by the one clock of all processes, before it was made
	epoch uint64
	node  string
}

// witness is the protected resource: it takes down every attempt on one clock.
// It does not refuse an older epoch, it fails the test: a program must be dead
// before the next one starts. Attempts may arrive in another order than they
// were begun in; what counts is the latter.
type witness struct {
	t        *testing.T
	listener net.Listener
	silent   bool // nobody needs to write

	mu    sync.Mutex
	count int
	last  attempt            // at the newest epoch
	first map[uint64]attempt // to be begun at every epoch
	final map[uint64]attempt
	twice []attempt // at an epoch at which another node had written
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{t: t, listener: l, first: map[uint64]attempt{}, final: map[uint64]attempt{}}
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
		if _, err := fmt.Sscan(lines.Text(), &a.epoch, &a.node, (*int64)(&a.begun)); err != nil {
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
	first, seen := w.first[a.epoch]
	if seen && first.node != a.node {
		w.twice = append(w.twice, a)
	}
	if !seen || a.begun < first.begun {
		w.first[a.epoch] = a
	}
	if a.begun > w.final[a.epoch].begun {
		w.final[a.epoch] = a
	}
	if a.epoch >= w.last.epoch {
		w.last = a
	}
}

// newest returns the last attempt at the newest epoch.
func (w *witness) newest() attempt {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
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

// check fails the test if anybody wrote after a newer epoch had begun, or two
// nodes at one epoch.
func (w *witness) check() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for epoch, final := range w.final {
		for newer, first := range w.first {
			if newer > epoch && first.begun <= final.begun {
				w.t.Errorf("%s wrote at epoch %d, %s after %s had begun epoch %d", final.node, epoch, final.begun-first.begun, first.node, newer)
			}
		}
	}
	for _, a := range w.twice {
		w.t.Errorf("%s wrote at epoch %d, and so did %s", a.node, a.epoch, w.first[a.epoch].node)
	}
	if w.count == 0 && !w.silent {
		w.t.Error("nobody ever wrote")
	}
	w.t.Logf("the witness took down %d attempts at %d epochs", w.count, len(w.first))
}
