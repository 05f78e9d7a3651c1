package gossip

import (
	"context"
	"log"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// symptoms are the lines of memberlist that mean a mistake in the setup, with
// what to do about it.
var symptoms = []struct{ sign, name, text string }{
	{"no installed keys could decrypt", symptomKey, "gossip arrives that none of our keys decrypts: gossip_key differs between nodes, or is missing on some"},
	{"remote state is encrypted and encryption is not configured", symptomKey, "gossip arrives that is encrypted, and gossip_key is not set here"},
	{"encryption is configured but remote state is not encrypted", symptomKey, "gossip arrives that is not encrypted, and gossip_key is set here: it is missing on some node"},
	{"unacceptable label", "gossip-cluster", "gossip arrives from another cluster: an address in join is not of this one, or voters or cluster differ between nodes"},
	{"over TCP but UDP probes failed", symptomUDP, "gossip gets through by TCP and not by UDP: let UDP pass on the gossip port; elections go on, news is slower"},
}

const (
	symptomKey = "gossip-key"
	symptomUDP = "gossip-udp" // also what a node with another key looks like
)

// afterKey is how long after a wrong key nothing is concluded about UDP.
const afterKey = time.Minute

// UDP is said not to pass when udpProbes have failed within udpWithin. A single one
// fails wherever a machine is busy for a moment.
const (
	udpProbes = 3
	udpWithin = time.Minute
)

// newLogger turns memberlist's lines into leveled ones, each at most once in ten
// seconds, and reports the symptoms.
func newLogger(to *slog.Logger, hear Hearer) *log.Logger {
	return log.New(&lines{to: to, hear: hear, last: map[string]time.Time{}}, "", 0)
}

type lines struct {
	to   *slog.Logger
	hear Hearer

	mu   sync.Mutex
	last map[string]time.Time
	key  time.Time   // when a wrong key was last seen
	udp  []time.Time // when probes by UDP failed lately
}

func (l *lines) Write(b []byte) (int, error) {
	line := strings.TrimSpace(string(b))
	for _, s := range symptoms {
		if strings.Contains(line, s.sign) {
			l.symptom(s.name, s.text)
			l.log(s.name, slog.LevelDebug, line)
			return len(b), nil
		}
	}
	level, text, _ := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	text = strings.TrimPrefix(text, "memberlist: ")
	kind, _, _ := strings.Cut(text, ":")
	// Not one of them is an election's failure: that is logged where it happens.
	switch level {
	case "WARN", "ERR", "ERROR":
		l.log(kind, slog.LevelInfo, text)
	default:
		l.log(kind, slog.LevelDebug, text)
	}
	return len(b), nil
}

func (l *lines) symptom(name, text string) {
	l.mu.Lock()
	if name == symptomKey {
		l.key = time.Now()
	}
	wrongKey := time.Since(l.key) < afterKey
	chance := name == symptomUDP && !l.udpFails(time.Now())
	l.mu.Unlock()
	switch {
	case chance || wrongKey && name == symptomUDP:
		return
	case name == symptomKey:
		l.hear.NoProblem(symptomUDP)
	}
	l.hear.Happened(name, text)
}

// udpFails notes that a probe by UDP failed, and says whether it is one of several.
// The caller holds mu.
func (l *lines) udpFails(now time.Time) bool {
	l.udp = slices.DeleteFunc(append(l.udp, now), func(t time.Time) bool { return now.Sub(t) >= udpWithin })
	return len(l.udp) >= udpProbes
}

func (l *lines) log(kind string, level slog.Level, text string) {
	l.mu.Lock()
	now := time.Now()
	often := now.Sub(l.last[kind]) < 10*time.Second
	if !often && len(l.last) < 1000 {
		l.last[kind] = now
	}
	l.mu.Unlock()
	if !often {
		l.to.Log(context.Background(), level, "gossip: "+text)
	}
}
