package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/electd/electd/client"
)

// target says which daemon a command talks to.
type target struct {
	api, config, token string
}

func targetFlags(c *cobra.Command) *target {
	t := &target{}
	c.Flags().StringVar(&t.api, "api", "", "`ADDRESS` of the daemon's API: a socket's path or http(s)://host:port (default: $ELECTD_API, else the socket that the configuration names)")
	c.Flags().StringVarP(&t.config, "config", "c", "/etc/electd/electd.hcl", "the daemon's configuration `FILE`")
	c.Flags().StringVar(&t.token, "token-file", "", "`FILE` with the API's token (default: $ELECTD_TOKEN_FILE)")
	return t
}

// dial returns a client of the daemon that the flags, the environment or the
// configuration name.
func (t *target) dial(s streams) (*client.Client, error) {
	address := t.api
	if address == "" {
		address = os.Getenv("ELECTD_API")
	}
	if address == "" {
		c, err := load(s, t.config)
		if err != nil {
			return nil, err
		}
		if address = c.API.Socket; address == "" {
			address = filepath.Join(c.Node.DataDir, "api.sock")
		}
	}
	var o client.Options
	file := t.token
	if file == "" {
		file = os.Getenv("ELECTD_TOKEN_FILE")
	}
	if file != "" {
		token, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		o.Token = strings.TrimSpace(string(token))
	}
	c, err := client.New(address, o)
	if err != nil {
		return nil, status{exitUsage, fmt.Errorf("electd: %w", err)}
	}
	return c, nil
}

// unreachable explains an error of talking to the daemon.
func unreachable(err error) error {
	return fmt.Errorf("%w\nIs the daemon running, and is it the one that --api or --config names?", err)
}
