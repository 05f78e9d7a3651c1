package agent

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise"
	"github.com/electd/electd/cmd/electd/internal/supervise/boottime"
	"github.com/electd/electd/cmd/electd/internal/supervise/hardware"
	"github.com/electd/electd/core"
)

// running is a service whose program runs, until far.
func running(t *testing.T, log *buffer, far boottime.Instant) *service {
	t.Helper()
	l, err := newLeash(hardware.Config{Mode: hardware.Off}, func(error) {}, log.logger())
	if err != nil {
		t.Fatal(err)
	}
	s := &service{election: &election{agent: &Agent{leash: l}}, log: log.logger(), authority: far}
	s.run = supervise.Program{
		Election: "orders", Command: []string{"sleep", "1000"}, Lock: filepath.Join(t.TempDir(), "lock"),
		StopTimeout: 100 * time.Millisecond, Log: log.logger(),
	}.Start(1, far)
	t.Cleanup(func() {
		s.run.Kill()
		<-s.run.Done()
		l.close()
	})
	if err := s.run.Started(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// awaitKilled waits for the program's end.
func awaitKilled(t *testing.T, s *service) {
	t.Helper()
	select {
	case <-s.run.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the program is not killed")
	}
}

// A kill allowance that is reloaded holds for the program that runs, without
// waiting for the authority to be extended.
func TestAReloadedKillAllowanceHoldsAtOnce(t *testing.T) {
	log := &buffer{}
	s := running(t, log, boottime.In(30*time.Minute))
	s.replaceProgram(nil, time.Minute)
	if s.run.State().Stopping {
		t.Fatal("stopped, 29 minutes too early")
	}
	s.replaceProgram(nil, time.Hour)
	awaitKilled(t, s)
	if cause := s.run.Exit().Cause; cause != "deadline" {
		t.Errorf("it ended by %q, want the deadline", cause)
	}
}

// A watchdog that takes nothing any more may miss a sooner deadline: then the
// program is killed rather than trusted.
func TestSoonerDeadlineThatMayNotHaveArrivedKills(t *testing.T) {
	log := &buffer{}
	far := boottime.In(time.Hour)
	s := running(t, log, far)
	stop := func() { _ = syscall.Kill(s.run.State().Watchdog, syscall.SIGSTOP) }
	stop()
	extend := func(i boottime.Instant) { s.Extend(core.Instant(i)) }
	for i := 1; !strings.Contains(log.String(), "the program's deadline stays sooner than it could be"); i++ {
		if i > 1<<20 {
			t.Fatal("the pipe to a stopped watchdog never fills")
		}
		if i%64 == 0 {
			stop() // a watchdog found stopped is continued
		}
		extend(far.Add(time.Duration(i)))
	}
	if s.run.State().Stopping {
		t.Error("stopped for a later deadline that did not arrive")
	}
	extend(boottime.In(30 * time.Minute))
	if !s.run.State().Stopping || !strings.Contains(log.String(), "may not know of a sooner deadline: killing the program") {
		t.Errorf("a sooner deadline did not arrive, and the program goes on:\n%s", log)
	}
	awaitKilled(t, s)
}
