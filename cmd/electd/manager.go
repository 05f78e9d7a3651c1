package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/cmd/electd/internal/agent"
)

// manager is the service manager that started this daemon, if one did: systemd,
// or what else understands its notifications.
type manager struct {
	log     hclog.Logger
	end     context.CancelFunc
	running sync.WaitGroup
}

func newManager(log hclog.Logger) *manager { return &manager{log: log, end: func() {}} }

// say tells the manager something, and returns whether there is one.
func (m *manager) say(state string) bool {
	heard, err := daemon.SdNotify(false, state)
	if err != nil {
		m.log.Warn("the service manager does not listen", "error", err)
	}
	return heard
}

// ready tells that the daemon takes part in its elections; from now on its
// status is told as it changes, and that it lives as long as its loops do.
func (m *manager) ready(a *agent.Agent) {
	if !m.say(daemon.SdNotifyReady + "\nSTATUS=" + a.Summary()) {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	m.end = end
	m.running.Go(func() { m.tellStatus(ctx, a) })
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		m.log.Warn("the service manager's watchdog is not answered", "error", err)
	}
	if every > 0 {
		m.running.Go(func() { m.tellLife(ctx, a, every/3) })
	}
}

func (m *manager) reloading() {
	m.say(daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec())
}

func (m *manager) reloaded() { m.say(daemon.SdNotifyReady) }

// stopping tells that the daemon ends, and how long that may take: the unit's
// TimeoutStopSec does not know the margins.
func (m *manager) stopping(within time.Duration) {
	m.end()
	m.running.Wait()
	m.say(fmt.Sprintf("%s\nEXTEND_TIMEOUT_USEC=%d", daemon.SdNotifyStopping, within.Microseconds()))
}

// pause is the least time between two lines of status.
const pause = 200 * time.Millisecond

func (m *manager) tellStatus(ctx context.Context, a *agent.Agent) {
	var last uint64
	said := a.Summary()
	for {
		entries, news := a.Transitions(last)
		if len(entries) > 0 {
			last = entries[len(entries)-1].ID
		}
		if now := a.Summary(); now != said {
			m.say("STATUS=" + now)
			said = now
		}
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// tellLife pets the manager's watchdog only while every election's loop moves: a
// daemon that hangs is to be killed and started again.
func (m *manager) tellLife(ctx context.Context, a *agent.Agent, every time.Duration) {
	for {
		asked, cancel := context.WithTimeout(ctx, every)
		err := a.Alive(asked)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			m.log.Error("the service manager's watchdog is not petted", "why", err)
		default:
			m.say(daemon.SdNotifyWatchdog)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}
