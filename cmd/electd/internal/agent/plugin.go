package agent

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/core"
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
	_, err = a.putPlugin(ctx, c, spec, sum)
	return err
}

// putPlugin starts a process by spec and lets it take over once it is configured
// and, like the first one, has been probed. It returns what is to be said of a new
// one that took over unproven.
func (a *Agent) putPlugin(ctx context.Context, c *config.Config, spec plugins.Spec, sum string) (unproven string, err error) {
	spec.Log = a.log
	if c.Arbiter.Probe != "skip" {
		if unproven, err = a.tryPlugin(ctx, spec); err != nil {
			return "", c.Locate("arbiter", err).Err()
		}
	}
	if err := a.host.Reload(ctx, spec, a.plugin.values); err != nil {
		return "", c.Locate("arbiter", err).Err()
	}
	a.plugin.settings, a.plugin.sum = c.Arbiter.Plugin, sum
	a.log.Info("the plugin is replaced", "plugin", spec.Name, "path", spec.Path, "sha256", sum)
	if unproven != "" {
		a.log.Warn(unproven)
	}
	return unproven, nil
}

// tryPlugin judges the plugin in a process of its own.
func (a *Agent) tryPlugin(ctx context.Context, spec plugins.Spec) (unproven string, err error) {
	host, err := plugins.Launch(ctx, spec)
	if err != nil {
		return "", err
	}
	if err := host.Configure(ctx, a.plugin.values); err != nil {
		return "", errors.Join(err, host.Close())
	}
	unproven, err = judge(ctx, host, a.host, a.dir.Node())
	return unproven, errors.Join(err, host.Close())
}

// judge probes the store through the new plugin. Its error is why that must not
// take over: two leaders could live, or it does not work while the running one
// does. Where neither works, nothing is lost, and unproven says so.
func judge(ctx context.Context, next, running *plugins.Host, node string) (unproven string, err error) {
	within := tryWithin(ctx)
	probing, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	report, err := Probe(probing, next, node)
	why := ""
	switch {
	case report.Worst() == core.Refused:
		return "", fmt.Errorf("%w through the new plugin: %s", ErrRefused, findings(report, core.Refused))
	case report.Worst() == core.Unreachable:
		why = findings(report, core.Unreachable)
	case err != nil && probing.Err() != nil:
		why = fmt.Sprintf("its examination was not over within %v (probe = \"skip\" does without): %v", within.Round(time.Millisecond), err)
	case err != nil:
		why = err.Error()
	default:
		return "", nil
	}
	ctx, cancel = context.WithTimeout(ctx, readWithin)
	defer cancel()
	if _, err := running.Arbiter().Read(ctx, probeKey+node); err != nil {
		return fmt.Sprintf("the new plugin could not be probed (%s) and took over all the same: the one before it could not read the store either (%s)", why, err), nil
	}
	return "", fmt.Errorf("the new plugin could not be probed, and the running one, which can read the store, goes on: %s", why)
}

// readWithin is how long the running plugin may take to show that it works.
const readWithin = 3 * time.Second

// tryWithin is how long the probe of a new plugin may take: no more than half of
// the time there is, as it has to take over yet.
func tryWithin(ctx context.Context) time.Duration {
	const most = 15 * time.Second
	if end, ok := ctx.Deadline(); ok {
		return min(most, time.Until(end)/2)
	}
	return most
}

// ReloadPlugin implements api.Source: it starts the arbiter's plugin anew, by what
// the configuration's file says of it now, and lets it take over once it is
// configured. Nothing else of the file is taken over. After an error the old one
// goes on.
func (a *Agent) ReloadPlugin(ctx context.Context, name string) (client.Plugin, error) {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	now := a.settings()
	if name != "" && name != now.Arbiter.Name {
		return client.Plugin{}, fmt.Errorf("the arbiter of this daemon is %q, not %q", now.Arbiter.Name, name)
	}
	wanted, err := a.rereadPlugin(now)
	if err != nil {
		return client.Plugin{}, err
	}
	defer wanted.Forget()
	sum, spec, err := sumOf(wanted)
	switch {
	case err != nil:
		return client.Plugin{}, wanted.Locate("arbiter", err).Err()
	case spec.Path == "":
		return client.Plugin{}, fmt.Errorf("%s is built in: its process is electd's own image, and is replaced with electd by a restart", spec.Name)
	}
	before := a.host.Info().Version
	unproven, err := a.putPlugin(ctx, wanted, spec, sum)
	if err != nil {
		return client.Plugin{}, err
	}
	a.mu.Lock()
	a.config = wanted
	a.mu.Unlock()
	info := a.host.Info()
	return client.Plugin{
		Name: info.Name, Version: info.Version, Before: before, Path: spec.Path, SHA256: sum, PID: a.host.Status().PID,
		Warning: unproven,
	}, nil
}

// rereadPlugin returns what the daemon runs on, but with the plugin block that its
// file has now.
func (a *Agent) rereadPlugin(now *config.Config) (*config.Config, error) {
	if a.options.File == "" {
		return now.WithPlugin(now), nil
	}
	next, diags := config.Load(a.options.File)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	if next.Arbiter.Name != now.Arbiter.Name {
		return nil, fmt.Errorf("%s names the arbiter %q now, and this daemon runs on %q: that needs a restart", a.options.File, next.Arbiter.Name, now.Arbiter.Name)
	}
	return now.WithPlugin(next), nil
}
