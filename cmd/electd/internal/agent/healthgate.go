package agent

import (
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/supervise/health"
)

// watchHealth begins to check whether this node is fit to lead; without a check
// it is.
func (s *service) watchHealth(c *config.Health) error {
	if c == nil {
		s.setHealthGate(nil)
		return nil
	}
	gate, err := health.Start(s.healthConfig(c), s.election.setHealth)
	if err != nil {
		return err
	}
	s.setHealthGate(gate)
	return nil
}

func (s *service) healthConfig(c *config.Health) health.Config {
	a := s.election.agent
	return health.Config{
		Command: c.Command, Dir: a.settings().Dir(), HTTP: c.HTTP,
		Set:      []string{"ELECTD_ELECTION=" + s.election.name, "ELECTD_NODE=" + a.dir.Node(), "ELECTD_API=" + a.api.URL()},
		Interval: c.Interval, Timeout: c.Timeout, Failures: c.Failures, Successes: c.Successes, Log: s.log.Named("health"),
	}
}

// setHealthGate puts a gate in the place of the one before, which is closed.
func (s *service) setHealthGate(g *health.Gate) {
	s.mu.Lock()
	before := s.health
	s.health = g
	s.mu.Unlock()
	if before != nil {
		before.Close()
	}
}
