package agent

import (
	"errors"

	"github.com/electd/electd/cmd/electd/internal/api"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/core"
)

// CheckAPI checks the token's file as the daemon would at its start, where
// whoever asks may read it.
func CheckAPI(c *config.Config) error { return locateAPI(c, api.CheckToken(c.API.TokenFile)) }

// locateAPI adds the place in the configuration to an error that names an
// attribute. Others, of the sockets, are told as they are.
func locateAPI(c *config.Config, err error) error {
	if wrong := (*core.AttributeError)(nil); errors.As(err, &wrong) {
		return c.Locate("api", err).Err()
	}
	return err
}
