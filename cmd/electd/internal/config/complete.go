package config

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// complete fills in the defaults that depend on other attributes and makes
// relative paths absolute.
func (c *Config) complete() {
	c.Node.DataDir = absolute(c.dir, c.Node.DataDir)
	c.PluginDir = absolute(c.dir, c.PluginDir)
	if c.Arbiter.Plugin != nil {
		c.Arbiter.Plugin.Path = absolute(c.dir, c.Arbiter.Plugin.Path)
	}
	if t := c.Transport; t != nil {
		if t.Advertise == "" {
			t.Advertise = reachable(t.Listen)
		}
		if t.TLS != nil {
			c.resolve(&t.TLS.CAFile, &t.TLS.CertFile, &t.TLS.KeyFile)
		}
	}
	for i := range c.Elections {
		c.completeElection(&c.Elections[i])
	}
	c.completeAPI()
	if c.Watchdog != nil {
		c.resolve(&c.Watchdog.Device)
	}
}

func (c *Config) completeAPI() {
	a := &c.API
	if a.Socket == "" {
		a.Socket = filepath.Join(c.Node.DataDir, "api.sock")
	}
	if a.Advertise == "" && a.Listen != "" {
		a.Advertise = reachable(a.Listen)
	}
	c.resolve(&a.Socket, &a.TokenFile)
	if a.TLS != nil {
		c.resolve(&a.TLS.CAFile, &a.TLS.CertFile, &a.TLS.KeyFile)
	}
}

func (c *Config) completeElection(e *Election) {
	path := ElectionPath(e.Name)
	if !c.given(join(path, "arbiter_lease")) {
		e.ArbiterLease = c.defaultLease()
	}
	if len(c.Peers()) == 0 && !c.given(join(path, "heartbeat_lease")) {
		e.HeartbeatLease = e.FenceMargin + min(time.Second, max(0, e.ArbiterLease-e.FenceMargin)/2)
	}
	if !c.given(join(path, "arbiter_timeout")) {
		e.ArbiterTimeout = min(e.ArbiterLease/4, 5*time.Second)
	}
	if e.Run != nil {
		if e.Run.Dir == "" {
			e.Run.Dir = c.dir
		}
		c.resolve(&e.Run.Dir)
		c.program(e.Run.Command)
	}
	for _, hook := range e.Hooks {
		c.program(hook.Command)
	}
	if e.Health != nil {
		c.program(e.Health.Command)
	}
}

// defaultLease is the arbiter lease of an election that names none: short where
// the holder renews all the time anyway, long where only a fault makes it write.
func (c *Config) defaultLease() time.Duration {
	switch {
	case c.Arbiter.Name == "bully":
		return 3 * time.Second
	case len(c.Peers()) == 0:
		return 10 * time.Second
	}
	return 30 * time.Second
}

func (c *Config) resolve(paths ...*string) {
	for _, path := range paths {
		*path = absolute(c.dir, *path)
	}
}

// program makes a program that is named with a slash absolute. Any other name
// is left to be looked up in $PATH.
func (c *Config) program(command []string) {
	if len(command) > 0 && strings.ContainsRune(command[0], '/') {
		command[0] = absolute(c.dir, command[0])
	}
}

// reachable returns a listening address as others can use it: where it names no
// host, the machine's name stands in.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, port)
		}
	}
	return listen
}
