package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// events are the hooks' labels, in the order of a holding.
var events = []string{"promote", "fence", "demote", "follow"}

func (v *validator) elections(c *Config) {
	folded := map[string]string{}
	for i := range c.Elections {
		e := &c.Elections[i]
		path := ElectionPath(e.Name)
		v.name(join(path, "label"), "Election name", e.Name)
		if first, ok := folded[strings.ToLower(e.Name)]; ok {
			v.fail(join(path, "label"), fmt.Sprintf("Elections %q and %q differ only in case", first, e.Name), "Some file systems take them for one. Rename one.")
		}
		folded[strings.ToLower(e.Name)] = e.Name
		if strings.EqualFold(e.Name, "nodes.json") {
			v.fail(join(path, "label"), "Election name is taken", "electd keeps its own record under that name.")
		}
		v.within(join(path, "priority"), e.Priority, 0, 1_000_000)
		if e.Run != nil {
			v.run(join(path, "run"), e.Run)
		}
		v.hooks(path, e)
		if e.Health != nil {
			v.health(join(path, "health"), e.Health)
		}
		if v.ranges(path, e) {
			v.timing(path, e, len(c.Peers()) > 0)
		}
	}
}

func (v *validator) run(path string, r *Run) {
	v.command(path, r.Command)
	v.env(path, r.Env)
	v.within(join(path, "restart_limit"), r.RestartLimit, 1, 1_000_000)
	v.between(join(path, "restart_delay"), r.RestartDelay, 0, time.Minute)
}

func (v *validator) hooks(path string, e *Election) {
	for _, hook := range e.Hooks {
		at := labelPath(join(path, "hook"), hook.Event)
		if !slices.Contains(events, hook.Event) {
			v.fail(join(at, "label"), fmt.Sprintf("Unknown hook %q", hook.Event), choose(hook.Event, events))
		}
		v.command(at, hook.Command)
		v.env(at, hook.Env)
		v.between(join(at, "timeout"), hook.Timeout, time.Millisecond, 24*time.Hour)
	}
	if e.Hook("fence") != nil {
		at := labelPath(join(path, "hook"), "fence")
		if !v.given(join(at, "timeout")) {
			v.fail(at, "Fence hook without timeout", fmt.Sprintf("It has to be over before the authority ends, so fence_margin must hold it: %s are left of %s. Give a timeout.",
				max(0, e.FenceMargin-e.marginWithout("fence")), e.FenceMargin))
		}
	}
}

func (v *validator) health(path string, h *Health) {
	switch {
	case len(h.Command) == 0 && h.HTTP == "":
		v.fail(path, "Health gate without a check", "Give command or http.")
	case len(h.Command) > 0 && h.HTTP != "":
		v.fail(path, "Health gate with two checks", "Give command or http, not both.")
	case h.HTTP != "":
		v.httpURL(join(path, "http"), h.HTTP, "http://127.0.0.1:8080/healthz")
	default:
		v.command(path, h.Command)
	}
	v.between(join(path, "interval"), h.Interval, 10*time.Millisecond, time.Hour)
	v.between(join(path, "timeout"), h.Timeout, time.Millisecond, time.Hour)
	v.within(join(path, "failures"), h.Failures, 1, 1000)
	v.within(join(path, "successes"), h.Successes, 1, 1000)
}

func (v *validator) command(path string, command []string) {
	at := join(path, "command")
	switch {
	case len(command) == 0 || command[0] == "":
		v.fail(at, "Empty command", `Give the program and its arguments as a list: ["/usr/local/bin/worker", "--verbose"].`)
	case len(command) == 1 && strings.ContainsAny(command[0], " \t") && !filepath.IsAbs(command[0]):
		v.warn(at, "Command with a space in the program's name", `There is no shell. Split it: ["program", "argument"], or use ["sh", "-c", "…"].`)
	}
}

func (v *validator) env(path string, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case name == "" || strings.Contains(name, "="):
			v.fail(join(path, "env"), fmt.Sprintf("%q names no environment variable", name), "A name is not empty and has no '='.")
		case strings.HasPrefix(name, "ELECTD_"):
			v.fail(join(path, "env"), fmt.Sprintf("Environment variable %s is electd's", name), "Names that begin with ELECTD_ tell the program about its election.")
		}
	}
}

func (v *validator) between(path string, d, least, most time.Duration) {
	if d < least || d > most {
		v.fail(path, fmt.Sprintf("%s is out of range", d), fmt.Sprintf("It must be from %s to %s.", least, most))
	}
}
