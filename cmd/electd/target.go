package main

import (
	"cmp"
	"crypto/tls"
	"errors"
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
	ca, cert, key      string
}

func targetFlags(c *cobra.Command) *target {
	t := &target{}
	c.Flags().StringVar(&t.api, "api", "", "`ADDRESS` of the daemon's API: a socket's path or http(s)://host:port (default: $ELECTD_API, else the socket that the configuration names)")
	c.Flags().StringVarP(&t.config, "config", "c", "/etc/electd/electd.hcl", "the daemon's configuration `FILE`")
	c.Flags().StringVar(&t.token, "token-file", "", "`FILE` with the API's token (default: $ELECTD_TOKEN_FILE)")
	c.Flags().StringVar(&t.ca, "ca-file", "", "`FILE` with the authority of an https API, PEM (default: $ELECTD_CA_FILE, else the machine's own)")
	c.Flags().StringVar(&t.cert, "cert-file", "", "`FILE` with a certificate to show to an https API, PEM (default: $ELECTD_CERT_FILE)")
	c.Flags().StringVar(&t.key, "key-file", "", "`FILE` with that certificate's key, PEM (default: $ELECTD_KEY_FILE)")
	return t
}

// dial returns a client of the daemon that the flags, the environment or the
// configuration name.
func (t *target) dial(s streams) (*client.Client, error) {
	address := cmp.Or(t.api, os.Getenv("ELECTD_API"))
	if address == "" {
		c, err := load(s, t.config)
		if err != nil {
			return nil, err
		}
		if address = c.API.Socket; address == "" {
			address = filepath.Join(c.Node.DataDir, "api.sock")
		}
	}
	o, err := t.options(address)
	if err != nil {
		return nil, err
	}
	c, err := client.New(address, o)
	if err != nil {
		return nil, status{exitUsage, fmt.Errorf("electd: %w", err)}
	}
	return c, nil
}

// another returns a client of another daemon, at host:port, which is taken to be
// served in the way of the one that was asked: over TLS or not.
func (t *target) another(address string) (*client.Client, error) {
	scheme := "http://"
	if strings.HasPrefix(cmp.Or(t.api, os.Getenv("ELECTD_API")), "https://") || cmp.Or(t.ca, os.Getenv("ELECTD_CA_FILE")) != "" {
		scheme = "https://"
	}
	o, err := t.options(scheme + address)
	if err != nil {
		return nil, err
	}
	o.Token = "" // to read takes none
	return client.New(scheme+address, o)
}

// options are what the API at an address is shown and measured by.
func (t *target) options(address string) (client.Options, error) {
	o := client.Options{CAFile: t.ca, CertFile: t.cert, KeyFile: t.key}
	if strings.HasPrefix(address, "https://") {
		o.CAFile = cmp.Or(t.ca, os.Getenv("ELECTD_CA_FILE"))
		if t.cert == "" && t.key == "" {
			o.CertFile, o.KeyFile = os.Getenv("ELECTD_CERT_FILE"), os.Getenv("ELECTD_KEY_FILE")
		}
	}
	if file := cmp.Or(t.token, os.Getenv("ELECTD_TOKEN_FILE")); file != "" {
		token, err := os.ReadFile(file)
		if err != nil {
			return o, fmt.Errorf("the API's token: %w", err)
		}
		o.Token = strings.TrimSpace(string(token))
	}
	return o, nil
}

// unreachable explains an error of talking to the daemon.
func unreachable(err error) error {
	var unverified *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unverified):
		return fmt.Errorf("%w\nName the file of the authority that signed it with --ca-file", err)
	case strings.Contains(err.Error(), "remote error: tls:"):
		return fmt.Errorf("%w\nShow one that api.tls.ca_file of the daemon has signed, with --cert-file and --key-file, or none", err)
	}
	return fmt.Errorf("%w\nIs the daemon running, and is it the one that --api or --config names?", err)
}
