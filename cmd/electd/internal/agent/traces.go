package agent

import (
	"context"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/hooks"
	"github.com/electd/electd/cmd/electd/internal/telemetry"
)

// startTraces begins to export traces, if the configuration or the environment
// asks for them.
func (a *Agent) startTraces(ctx context.Context) error {
	c := telemetry.Config{Node: a.dir.Node(), Version: a.options.Version, Log: a.log.Named("telemetry")}
	if t := a.config.Telemetry; t != nil {
		c.Endpoint, c.Deployment = t.Endpoint, t.Deployment
	}
	if a.config.Telemetry == nil && !c.Wanted() {
		return nil
	}
	var err error
	if a.traces, err = telemetry.New(ctx, c); err != nil {
		return a.config.Locate("telemetry", err).Err()
	}
	return nil
}

// stopTraces exports what is left. What cannot be exported is lost, and was said.
func (a *Agent) stopTraces(ctx context.Context) {
	if a.traces == nil {
		return
	}
	if err := a.traces.Close(ctx); err != nil {
		a.log.Debug("the last traces are lost", "error", err)
	}
}

// hookRan counts a hook that ran, and traces it.
func (e *election) hookRan(kind hooks.Kind, r hooks.Result) {
	if r.Took == 0 {
		return // there is none
	}
	e.agent.api.HookRan(e.name, string(kind), string(r.Outcome), r.Took)
	if e.traces != nil {
		e.traces.HookRan(string(kind), string(r.Outcome), r.Took, r.Err)
	}
}

// programStarted traces the start of the supervised program.
func (e *election) programStarted(took time.Duration, err error) {
	if e.traces != nil {
		e.traces.ProgramStarted(took, err)
	}
}
