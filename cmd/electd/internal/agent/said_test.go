package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/supervise"
)

// A store that fails alike is told of once, whatever key the probe has drawn and
// whatever the request was called; one that fails otherwise is told of again.
func TestAStoreThatFailsAlikeIsTheSameReason(t *testing.T) {
	const first = `empty-read: read electd-probe-db-a-KQ3ZVJ2M7ABC/1: Get "http://127.0.0.1:9000/b/k": dial tcp 127.0.0.1:9000: connect: connection refused`
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{first, strings.Replace(first, "KQ3ZVJ2M7ABC", "ABCDEFGHJKLM", 1), true},
		{"a: read tcp 127.0.0.1:41234->127.0.0.1:9000: reset", "a: read tcp 127.0.0.1:52345->127.0.0.1:9000: reset", true},
		{"a: StatusCode: 503, RequestID: 17A9F00D, HostID: x+9aZb/q8==", "a: StatusCode: 503, RequestID: 27B9F00E, HostID: x+9aZb/q8==", true},
		{"a: StatusCode: 503", "a: StatusCode: 403", false},
		{first, strings.Replace(first, "connection refused", "no route to host", 1), false},
		{"a: no answer", "b: no answer", false},
	} {
		if got := recurring(c.a) == recurring(c.b); got != c.same {
			t.Errorf("the same: %v, want %v:\n%s\n%s", got, c.same, c.a, c.b)
		}
	}
}

// A fence is tried again and again, and its failure said once a minute: each
// part of it, and anew when a fence came to its end meanwhile.
func TestAFenceThatFailsIsNotSaidEachTime(t *testing.T) {
	log := &buffer{}
	s := &service{log: log.logger()}
	for range 20 {
		s.notFenced("hook", 3, errors.New("exit status 1"))
		s.notFenced("program", 3, errors.New("still there"))
	}
	if n := strings.Count(log.String(), "[ERROR]"); n != 2 {
		t.Errorf("%d lines for two things that fail, want 2:\n%s", n, log)
	}
	s.fences.Over()
	s.notFenced("hook", 3, errors.New("exit status 1"))
	if n := strings.Count(log.String(), "[ERROR]"); n != 3 {
		t.Errorf("%d lines after a fence that was over, want 3:\n%s", n, log)
	}
}

// What the log says of a program's end names an error only if there is one.
func TestAProgramThatIsDoneHasNoError(t *testing.T) {
	log := &buffer{}
	log.logger().Log(hclog.Info, "x", ended(supervise.Exit{Restarts: 2})...)
	if text := log.String(); strings.Contains(text, "error") || !strings.Contains(text, "restarts=2") {
		t.Errorf("an end without an error is told as %s", text)
	}
	if text := fmt.Sprint(ended(supervise.Exit{Err: errors.New("too often")})...); !strings.Contains(text, "too often") {
		t.Errorf("an error is told as %s", text)
	}
}

// A pause that is over is not told of.
func TestAPauseThatIsOverHasNoEnd(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	over, err := json.Marshal(client.Election{PausedUntil: ahead(at, false)})
	if err != nil || strings.Contains(string(over), "paused_until") {
		t.Errorf("a pause that is over is told as %s, %v", over, err)
	}
	if got := ahead(at, true); !got.Equal(at) {
		t.Errorf("a pause ends at %s, want %s", got, at)
	}
}
