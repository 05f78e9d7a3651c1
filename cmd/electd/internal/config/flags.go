package config

import (
	"os"
	"path/filepath"
	"reflect"
	"time"
)

// Flags are a configuration given on the command line, for "electd exec" without
// a file. What is empty or 0 takes its default.
type Flags struct {
	Node      string // --node
	DataDir   string // --data-dir
	Arbiter   string // --arbiter
	Set       []string
	PluginDir string // --plugin-dir
	Election  string // --election
	Command   []string

	ArbiterLease time.Duration // --arbiter-lease
	FenceMargin  time.Duration // --fence-margin
	StopTimeout  time.Duration // --stop-timeout
	StopSignal   string        // --stop-signal
	APIListen    string        // --api-listen
	APISocket    string        // --api-socket
	LogLevel     string        // --log-level
	LogFormat    string        // --log-format
}

// FromFlags returns the configuration of one election without peers, decided by
// the arbiter alone, whose program is not restarted. Messages name the flag. The
// node and its data directory must be set: see datadir.OpenSlot.
func FromFlags(f Flags) (*Config, Diagnostics) {
	c := &Config{Elections: []Election{{Name: f.Election, Run: &Run{}}}}
	setPresets(reflect.ValueOf(c).Elem())
	e := &c.Elections[0]
	setPresets(reflect.ValueOf(e).Elem())
	setPresets(reflect.ValueOf(e.Run).Elem())
	e.Run.Command = append([]string(nil), f.Command...)
	e.Run.Restart = "never"
	c.Arbiter.Name = f.Arbiter

	c.dir = workingDir()
	c.flags, c.flagged = map[string]string{}, map[string]bool{}
	c.undecoded.set = f.Set
	at := ElectionPath(f.Election)
	c.flags[join(at, "run.command")] = "COMMAND"
	for _, flag := range []struct {
		name, path string
		from, to   any
	}{
		{"--node", "node.id", &f.Node, &c.Node.ID},
		{"--data-dir", "node.data_dir", &f.DataDir, &c.Node.DataDir},
		{"--arbiter", "arbiter.label", &f.Arbiter, &c.Arbiter.Name},
		{"--plugin-dir", "plugin_dir", &f.PluginDir, &c.PluginDir},
		{"--election", join(at, "label"), &f.Election, &e.Name},
		{"--arbiter-lease", join(at, "arbiter_lease"), &f.ArbiterLease, &e.ArbiterLease},
		{"--fence-margin", join(at, "fence_margin"), &f.FenceMargin, &e.FenceMargin},
		{"--stop-timeout", join(at, "run.stop_timeout"), &f.StopTimeout, &e.Run.StopTimeout},
		{"--stop-signal", join(at, "run.stop_signal"), &f.StopSignal, &e.Run.StopSignal},
		{"--api-listen", "api.listen", &f.APIListen, &c.API.Listen},
		{"--api-socket", "api.socket", &f.APISocket, &c.API.Socket},
		{"--log-level", "log.level", &f.LogLevel, &c.Log.Level},
		{"--log-format", "log.format", &f.LogFormat, &c.Log.Format},
	} {
		c.flags[flag.path] = flag.name
		if from := reflect.ValueOf(flag.from).Elem(); !from.IsZero() {
			c.flagged[flag.path] = true
			reflect.ValueOf(flag.to).Elem().Set(from)
		}
	}
	return c.finish(nil)
}

// workingDir is where relative paths start if there is no file.
func workingDir() string {
	if dir, err := os.Getwd(); err == nil {
		return dir
	}
	return string(filepath.Separator)
}

// Dir returns the folder that relative paths start at: the configuration
// file's, or the working folder if there is no file. An arbiter's process is to
// run in it, so that this holds for the arbiter's own attributes too.
func (c *Config) Dir() string { return c.dir }
