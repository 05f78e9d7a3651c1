package bully_test

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// wire is a connection between two nodes' votes that the test can cut: what is
// sent then goes nowhere, and no connection is refused.
type wire struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func newWire(t testing.TB, target string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, target: target}
	go w.accept()
	t.Cleanup(func() {
		_ = l.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, c := range w.conns {
			_ = c.Close()
		}
	})
	return w
}

func (w *wire) accept() {
	for {
		from, err := w.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", w.target)
		if err != nil {
			_ = from.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, from, to)
		w.mu.Unlock()
		go w.carry(from, to)
		go w.carry(to, from)
	}
}

func (w *wire) carry(from, to net.Conn) {
	defer func() {
		_ = from.Close()
		_ = to.Close()
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !w.isCut() {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) isCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

// wired puts a wire between each two nodes' votes; the gossip stays whole.
func (x *example) wired() map[[2]string]*wire {
	x.t.Helper()
	wires := map[[2]string]*wire{}
	for _, node := range x.names() {
		x.rewrite(node, func(line string) string {
			if !strings.Contains(line, "addresses ") {
				return line
			}
			for _, other := range x.names() {
				_, rest, _ := strings.Cut(line, other+" = \"")
				address, _, _ := strings.Cut(rest, `"`)
				w := newWire(x.t, address)
				wires[[2]string{node, other}] = w
				line = strings.Replace(line, address, w.listener.Addr().String(), 1)
			}
			return line
		})
	}
	return wires
}

// TestCutOffLeaderFencesFirst cuts the leader's votes, and its heartbeats if there
// are any, off from the other two, while gossip still tells everybody that all are
// alive. Its worker must have stopped before the next one begins, which work checks.
func TestCutOffLeaderFencesFirst(t *testing.T) {
	for name, heartbeats := range map[string]bool{"without heartbeats": false, "with heartbeats": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExample(t)
			links := []map[[2]string]*wire{x.wired()}
			if heartbeats {
				between := map[[2]string]*wire{}
				x.peers(func(node, peer, address string) string {
					w := newWire(t, address)
					between[[2]string{node, peer}] = w
					return w.listener.Addr().String()
				})
				links = append(links, between)
			}
			x.cutOffLeader(func(leader string, cut bool) {
				for _, wires := range links {
					for ends, w := range wires {
						if (ends[0] == leader) != (ends[1] == leader) {
							w.set(cut)
						}
					}
				}
			})
		})
	}
}

func (x *example) cutOffLeader(isolate func(leader string, cut bool)) {
	x.t.Helper()
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	x.settled()
	begun := time.Now()
	isolate(leader.node, true)
	next := x.next(leader.epoch, begun, afterKill+slack)
	x.t.Logf("%s is cut off: %s leads at epoch %d after %v", leader.node, next.node, next.epoch, next.at.Sub(begun))
	if next.node == leader.node {
		x.t.Fatalf("%s took, cut off as it is", leader.node)
	}
	if old := x.ask(leader.node); old.Role == "leader" {
		x.t.Errorf("%s still leads", leader.node)
	}
	isolate(leader.node, false)
	x.follows(leader.node, next.node)
	time.Sleep(4 * time.Second)
	if still := x.ask(next.node); still.Role != "leader" || still.Epoch != next.epoch {
		x.t.Errorf("after it healed %s is %s at epoch %d", next.node, still.Role, still.Epoch)
	}
	if lines := x.work(); len(lines) < 20 {
		x.t.Errorf("little work was done: %d lines", len(lines))
	}
}

// Two of three lose each other, and the third one hears both. A leader that is one of
// them has a majority by the bridge, and stays; the other one, which hears of it by
// the bridge alone, never takes.
func TestBridgeKeepsALeaderWithAMajority(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	wires := x.wired()
	x.start(x.names()...)
	leader := x.next(0, time.Time{}, firstStart)
	x.settled()
	cut := x.others(leader.node)[0]
	wires[[2]string{leader.node, cut}].set(true)
	wires[[2]string{cut, leader.node}].set(true)
	x.quiet(leader, 8*time.Second)
	x.follows(cut, leader.node)
	x.work()
}

// follows waits until a node takes another one for the leader.
func (x *example) follows(node, leader string) {
	x.t.Helper()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		e, err := x.api(node).Election(x.t.Context(), "jobs")
		if err == nil && e.Role == "follower" && e.Leader == leader {
			return
		}
		if time.Since(start) > afterKill+slack {
			x.t.Fatalf("%s is %s and takes %q for the leader, %v; want %s", node, e.Role, e.Leader, err, leader)
		}
	}
}
