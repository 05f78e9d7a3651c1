package bully_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Where UDP is blocked and TCP is not, the nodes find each other, elect, and lose a
// leader as they do elsewhere; each says what is wrong.
func TestUDPBlocked(t *testing.T) {
	t.Parallel()
	x := newExample(t)
	x.withoutUDP()
	x.start(x.names()...)
	first := x.next(0, time.Time{}, firstStart)
	x.settled()

	begun := time.Now()
	x.kill(first.node)
	second := x.next(first.epoch, begun, afterKill+slack)
	t.Logf("%s killed: %s leads at epoch %d after %v", first.node, second.node, second.epoch, second.at.Sub(begun))
	x.start(first.node)
	x.settled()
	if now := x.ask(second.node); now.Role != "leader" || now.Epoch != second.epoch {
		t.Errorf("%s came back, and %s is now %s at epoch %d", first.node, second.node, now.Role, now.Epoch)
	}
	begun = time.Now()
	x.stepDown(second.node)
	third := x.next(second.epoch, begun, slack)
	t.Logf("%s stepped down: %s leads at epoch %d after %v", second.node, third.node, third.epoch, third.at.Sub(begun))
	for _, node := range x.names() {
		x.says(node, "let UDP pass on the gossip port")
	}
	x.work()
}

// withoutUDP has every node reached by gossip at an address from which TCP is passed
// on and packets are not. Voters find each other by gossip alone.
func (x *example) withoutUDP() {
	x.t.Helper()
	at := map[string]string{} // by the node's own address
	for _, node := range x.names() {
		bind := x.setting(node, "bind")
		at[bind] = tcpAlone(x.t, bind)
	}
	for _, node := range x.names() {
		x.rewrite(node, func(line string) string {
			switch name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name {
			case "addresses":
				return ""
			case "bind":
				return line + fmt.Sprintf("\n  advertise = %q", at[x.setting(node, "bind")])
			case "join":
				for bind, passed := range at {
					line = strings.Replace(line, bind, passed, 1)
				}
			}
			return line
		})
	}
}

// tcpAlone returns an address from which connections are passed on to another one,
// and packets are swallowed.
func tcpAlone(t testing.TB, target string) string {
	t.Helper()
	for {
		address := newWire(t, target).listener.Addr().String()
		c, err := net.ListenPacket("udp", address)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		go func() {
			for buffer := make([]byte, 2048); err == nil; {
				_, _, err = c.ReadFrom(buffer)
			}
		}()
		return address
	}
}

// says waits until a node has such a problem, in its status and in its log.
func (x *example) says(node, text string) {
	x.t.Helper()
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		n, err := x.api(node).Node(x.t.Context())
		if err == nil && strings.Contains(strings.Join(n.Arbiter.Problems, "\n"), text) && strings.Contains(x.log(node), text) {
			return
		}
		if time.Since(start) > 30*time.Second {
			x.t.Fatalf("%s has the problems %q, %v; want %q, there and in its log", node, n.Arbiter.Problems, err, text)
		}
	}
}
