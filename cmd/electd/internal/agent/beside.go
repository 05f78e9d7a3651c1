package agent

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/arbiter/bully"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/plugins"
)

// OpenBeside is OpenArbiter for who only examines the store. Where the daemon of
// this configuration runs and has this node's vote, it goes without one.
func OpenBeside(ctx context.Context, c *config.Config, log hclog.Logger) (*plugins.Host, error) {
	host, err := OpenArbiter(ctx, c, log)
	if err == nil || c.Arbiter.Name != "bully" || !strings.Contains(err.Error(), bully.InUse) {
		return host, err
	}
	host, values, err := launchArbiter(ctx, c, log)
	if err != nil {
		return nil, err
	}
	values["client"] = true
	if err := host.Configure(ctx, values); err != nil {
		return nil, errors.Join(c.Locate("arbiter", err).Err(), host.Close())
	}
	return host, nil
}
