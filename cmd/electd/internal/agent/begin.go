package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/electd/electd/cmd/electd/internal/config"
)

// fencesAtOnce bounds how many fence hooks run side by side when a daemon starts
// that crashed before.
const fencesAtOnce = 16

// startElections starts all elections of the configuration, at the start of the
// daemon's session: then, and only then, leases of the session before may be taken
// back. The elections that run when it returns are a's.
func (a *Agent) startElections(ctx context.Context) error {
	var elections []*election
	for _, c := range a.config.Elections {
		e, err := a.newElection(c)
		if err != nil {
			return err
		}
		elections = append(elections, e)
	}
	previous := make([]string, len(elections))
	var looking errgroup.Group
	looking.SetLimit(fencesAtOnce)
	for i, e := range elections {
		looking.Go(func() error {
			previous[i] = e.previous(ctx)
			return context.Cause(ctx)
		})
	}
	if err := looking.Wait(); err != nil {
		return err
	}
	for i, e := range elections {
		if err := e.start(a.dir.Session(), previous[i]); err != nil {
			return err
		}
		a.elections = append(a.elections, e)
	}
	return nil
}

// addElection starts an election while the daemon runs. It has a session of its
// own: there may have been one of that name before, whose promises and numbers are
// forgotten.
func (a *Agent) addElection(c config.Election) (*election, error) {
	e, err := a.newElection(c)
	if err != nil {
		return nil, err
	}
	return e, e.start(rand.Text(), "")
}

// previous returns the session before this one if its program is proven dead
// and fenced: then, and only then, its lease may be taken back at once.
func (e *election) previous(ctx context.Context) string {
	id, dead, err := e.dir.Previous()
	for wait := time.Now().Add(e.config.FenceMargin); err == nil && id != "" && !dead && time.Now().Before(wait) && ctx.Err() == nil; {
		time.Sleep(10 * time.Millisecond) // its watchdog is killing it right now
		id, dead, err = e.dir.Previous()
	}
	switch {
	case ctx.Err() != nil:
		return ""
	case err != nil:
		e.log.Warn("what became of the program of the session before is not known: waiting out its lease", "error", err)
		return ""
	case id == "":
		return ""
	case e.agent.permitsBefore:
		e.log.Info("a program beside electd may still act on the word of the session before: waiting out its lease")
		return ""
	case !dead:
		e.log.Warn("a program of the session before still runs: waiting out its lease", "lock", e.dir.ProgramLock())
		return ""
	}
	if err := e.service.fenceLeftovers(ctx); err != nil {
		if !errors.Is(err, context.Cause(ctx)) {
			e.log.Warn("the fence hook failed for the session before: waiting out its lease", "error", err)
		}
		return ""
	}
	return id
}
