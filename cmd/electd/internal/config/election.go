package config

import "time"

// Election is one thing that needs one leader.
type Election struct {
	Name     string `electd:",label"`
	Priority int    `electd:"priority" default:"100" doc:"Who stands first when several nodes could: higher first. 0 never stands."`

	ArbiterLease      time.Duration `electd:"arbiter_lease" default:"30s" doc:"Time bought by a write to the arbiter. Default: 30s; 10s without peers; 3s with the bully arbiter. A change takes effect with the first write that carries it."`
	HeartbeatInterval time.Duration `electd:"heartbeat_interval" default:"500ms" doc:"Time between two heartbeats to a peer."`
	HeartbeatLease    time.Duration `electd:"heartbeat_lease" default:"1500ms" doc:"Time bought by a peer's acknowledgement; after a crash the next leader waits this long. Without peers it only bounds, less fence_margin, what a program beside electd is told, and is fence_margin + 1s by default, or less under a short arbiter_lease. A change takes effect with the first write that carries it."`
	FenceMargin       time.Duration `electd:"fence_margin" default:"500ms" doc:"How long before its authority ends a leader stops. Must hold the clocks' rate error over the longest lease, scheduling_allowance, the fence hook, stop_timeout and kill_allowance together."`
	ArbiterTimeout    time.Duration `electd:"arbiter_timeout" doc:"Deadline of one request to the arbiter. Default: a quarter of arbiter_lease, at most 5s."`

	MaxRateError        float64       `electd:"max_rate_error" default:"0.002" doc:"How far two nodes' clocks may differ in rate, as a fraction. Real clocks stay within 0.0001."`
	SchedulingAllowance time.Duration `electd:"scheduling_allowance" default:"50ms" doc:"Part of fence_margin kept for the operating system to let electd run."`
	ClockCheck          string        `electd:"clock_check" default:"warn" values:"off|warn|fence" doc:"What to do about a peer whose clock differs by more than a second. Nothing depends on it. \"warn\" says so; \"fence\" also refuses its heartbeats, so that such a leader is left with the arbiter's lease alone, and fences when the arbiter is out of reach too."`

	Run    *Run    `electd:"run,block" doc:"The supervised program: runs only while this node leads."`
	Hooks  []Hook  `electd:"hook,blocks" doc:"Commands at changes of role, one at a time. The label says which: promote (before leading; failure vetoes), fence (stop acting, at once), demote (after leading), follow (a leader to follow is known)."`
	Health *Health `electd:"health,block" doc:"Whether this node is fit to lead. A leader that fails hands over, a follower that fails stands aside."`
}

// Run is the supervised program.
type Run struct {
	Command       []string          `electd:"command,required" doc:"Program and arguments; no shell. A program named with a slash is relative to the configuration file, any other is looked up in $PATH." example:"[\"./worker\", \"--verbose\"]"`
	Dir           string            `electd:"dir" doc:"Working folder. Default: the folder of the configuration file."`
	Env           map[string]string `electd:"env" doc:"Further environment variables. Names that begin with ELECTD_ are electd's." example:"{ MODE = \"active\" }"`
	StopSignal    string            `electd:"stop_signal" default:"SIGTERM" values:"SIGTERM|SIGINT|SIGQUIT|SIGHUP|SIGUSR1|SIGUSR2|SIGKILL" doc:"Signal that asks the program to stop."`
	StopTimeout   time.Duration     `electd:"stop_timeout" default:"300ms" doc:"Time from stop_signal to SIGKILL; 0s kills at once. Part of fence_margin."`
	KillAllowance time.Duration     `electd:"kill_allowance" default:"50ms" doc:"Time allowed for SIGKILL to end the whole group. Part of fence_margin."`
	Restart       string            `electd:"restart" default:"on-failure" values:"never|on-failure|always" doc:"When the program is started again after it ended by itself. Otherwise, and when restart_limit is used up, the node steps down."`
	RestartDelay  time.Duration     `electd:"restart_delay" default:"1s" doc:"Wait before a restart; doubles with each further one, up to a minute."`
	RestartLimit  int               `electd:"restart_limit" default:"5" doc:"How many restarts in a row before the node steps down."`
}

// Hook is a command at a change of role.
type Hook struct {
	Event   string            `electd:",label"`
	Command []string          `electd:"command,required" doc:"Program and arguments, as for run." example:"[\"/usr/local/bin/promote\"]"`
	Timeout time.Duration     `electd:"timeout" default:"30s" doc:"The hook and its children are killed after this long. The fence hook's is part of fence_margin and has to be given."`
	Env     map[string]string `electd:"env" doc:"Further environment variables, as for run."`
}

// Health is the health gate.
type Health struct {
	Command   []string      `electd:"command" doc:"Healthy if this exits with 0. Give command or http." example:"[\"pg_isready\"]"`
	HTTP      string        `electd:"http" doc:"Healthy if a GET of this URL answers 2xx. Give command or http." example:"http://127.0.0.1:8080/healthz"`
	Interval  time.Duration `electd:"interval" default:"5s" doc:"Time between two checks."`
	Timeout   time.Duration `electd:"timeout" default:"2s" doc:"A check that takes longer has failed."`
	Failures  int           `electd:"failures" default:"3" doc:"How many failed checks in a row make a healthy node unhealthy."`
	Successes int           `electd:"successes" default:"2" doc:"How many good checks in a row make an unhealthy node healthy again. The very first check decides alone."`
}

// Hook returns the hook for an event, nil if there is none.
func (e *Election) Hook(event string) *Hook {
	for i := range e.Hooks {
		if e.Hooks[i].Event == event {
			return &e.Hooks[i]
		}
	}
	return nil
}

// Peers returns the configured peers; none means arbiter-only mode.
func (c *Config) Peers() []Peer {
	if c.Transport == nil {
		return nil
	}
	return c.Transport.Peers
}
