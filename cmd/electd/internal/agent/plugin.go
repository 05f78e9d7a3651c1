package agent

import (
	"context"
	"reflect"

	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/plugins"
)

// pluginFile is the arbiter's process as it was started last.
type pluginFile struct {
	settings *config.Plugin
	sum      string // SHA-256 of its file; empty for a built-in arbiter
	values   plugins.Values
}

// launch starts the arbiter's process.
func (a *Agent) launch(ctx context.Context) error {
	host, values, err := openArbiter(ctx, a.config, a.log)
	if err != nil {
		return err
	}
	a.host, a.plugin = host, pluginFile{settings: a.config.Arbiter.Plugin, values: values}
	a.plugin.sum, _, err = sumOf(a.config)
	return err
}

// sumOf returns the sum and the place of the arbiter's file; nothing if it is
// built in.
func sumOf(c *config.Config) (sum string, spec plugins.Spec, err error) {
	if spec, err = Spec(c, nil); err != nil || spec.Path == "" {
		return "", spec, err
	}
	sum, err = plugins.Pin(spec.Path)
	return sum, spec, err
}

// replacePlugin puts a new process in the place of the arbiter's if its file or
// what the configuration says of it has changed. After an error the old one goes
// on.
func (a *Agent) replacePlugin(ctx context.Context, c *config.Config) error {
	sum, spec, err := sumOf(c)
	if err != nil {
		return c.Locate("arbiter", err).Err()
	}
	if sum == a.plugin.sum && reflect.DeepEqual(c.Arbiter.Plugin, a.plugin.settings) {
		return nil
	}
	spec.Log = a.log
	if err := a.host.Reload(ctx, spec, a.plugin.values); err != nil {
		return c.Locate("arbiter", err).Err()
	}
	a.plugin.settings, a.plugin.sum = c.Arbiter.Plugin, sum
	a.log.Info("the plugin is replaced", "plugin", spec.Name, "path", spec.Path, "sha256", sum)
	return nil
}
