package gossip

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A node with another key looks as if UDP did not pass; only the key is told.
func TestWrongKeyIsNotTakenForUDP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const udp = "[WARN] memberlist: Was able to connect to b over TCP but UDP probes failed, network may be misconfigured"
		const key = "[ERR] memberlist: failed to receive: no installed keys could decrypt the message"
		e := newEar()
		l := newLogger(slog.New(slog.DiscardHandler), e)
		expect := func(when string, names ...string) {
			t.Helper()
			if fmt.Sprint(names) != fmt.Sprint(e.names()) {
				t.Errorf("%s: %q, want %q", when, e.names(), names)
			}
		}
		failing := func() {
			for range udpProbes {
				l.Print(udp)
			}
		}
		l.Print(udp)
		l.Print(udp)
		expect("a busy moment")
		time.Sleep(udpWithin)
		l.Print(udp)
		expect("another one")
		failing()
		expect("UDP alone", symptomUDP)
		l.Print(key)
		expect("a wrong key", symptomKey)
		time.Sleep(afterKey - time.Second)
		failing()
		expect("within a minute", symptomKey)
		e.NoProblem(symptomKey)
		time.Sleep(time.Second)
		failing()
		expect("long after the key was mended", symptomUDP)
	})
}

func (e *ear) names() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.problems))
}
