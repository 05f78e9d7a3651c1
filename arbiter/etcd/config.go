package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/electd/electd/core"
)

// Config is the configuration of the arbiter "etcd".
type Config struct {
	Endpoints []string `electd:"endpoints,required" doc:"Members of the etcd cluster, each as host:port, http://host:port or https://host:port. One scheme for all."`
	Prefix    string   `electd:"prefix" default:"electd" doc:"Put in front of every key, with a slash between."`

	Username string `electd:"username" doc:"User, where the cluster demands one. It needs to read and write the keys under prefix."`
	Password string `electd:"password,sensitive" doc:"Password of username."`
	TLS      *TLS   `electd:"tls,block" doc:"How the members prove who they are, and how this node does. Without it https:// endpoints are checked against the system's authorities."`

	ConnectTimeout time.Duration `electd:"connect_timeout" default:"2s" doc:"Limit of connecting to one member."`
	RequestTimeout time.Duration `electd:"request_timeout" default:"5s" doc:"Limit of one request, besides the caller's own deadline."`
}

// TLS is the block "tls".
type TLS struct {
	CAFile     string `electd:"ca_file" doc:"PEM file with the only authorities trusted for the members. Default: the system's."`
	CertFile   string `electd:"cert_file" doc:"PEM file with this node's certificate, where the members demand one."`
	KeyFile    string `electd:"key_file" doc:"PEM file with the key of cert_file."`
	ServerName string `electd:"server_name" doc:"Name in the members' certificates. Default: the endpoint's host."`
}

// The defaults, as the tags above state them.
const (
	defaultPrefix         = "electd"
	defaultConnectTimeout = 2 * time.Second
	defaultRequestTimeout = 5 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Prefix = strings.Trim(c.Prefix, "/"); c.Prefix == "" {
		c.Prefix = defaultPrefix
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = defaultConnectTimeout
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = defaultRequestTimeout
	}
	return c
}

// check returns what is wrong with c's own values.
func (c Config) check() error {
	var problems []error
	problems = append(problems, c.checkEndpoints())
	if c.Password != "" && c.Username == "" {
		problems = append(problems, wrong("username", "is missing beside password", "set it, or leave both out"))
	}
	if c.Username != "" && c.Password == "" {
		problems = append(problems, wrong("password", "is missing beside username", "set it, or leave both out"))
	}
	if c.ConnectTimeout < 0 {
		problems = append(problems, wrong("connect_timeout", "is negative", "give a duration such as \"2s\""))
	}
	if c.RequestTimeout < 0 {
		problems = append(problems, wrong("request_timeout", "is negative", "give a duration such as \"5s\""))
	}
	return errors.Join(problems...)
}

func (c Config) checkEndpoints() error {
	if len(c.Endpoints) == 0 {
		return wrong("endpoints", "is empty", "name at least one member, better all of them")
	}
	secure := 0
	for _, endpoint := range c.Endpoints {
		if why := wrongEndpoint(endpoint); why != "" {
			return wrong("endpoints", fmt.Sprintf("%q %s", endpoint, why), "write it as https://host:2379")
		}
		if strings.HasPrefix(endpoint, "https://") {
			secure++
		}
	}
	switch {
	case secure > 0 && secure < len(c.Endpoints):
		return wrong("endpoints", "mixes https:// with others", "use one scheme for all")
	case secure == 0 && c.TLS != nil:
		return wrong("endpoints", "are not https://, but there is a tls block", "write https://, or remove the block")
	}
	return nil
}

// wrongEndpoint says what is wrong with an endpoint, nothing if it is right.
func wrongEndpoint(endpoint string) string {
	address := endpoint
	if strings.Contains(endpoint, "://") {
		u, err := url.Parse(endpoint)
		switch {
		case err != nil:
			return "is no URL"
		case u.Scheme != "http" && u.Scheme != "https":
			return "is neither http:// nor https://"
		case u.User != nil, u.RawQuery != "", u.Fragment != "", u.Path != "" && u.Path != "/":
			return "has more than a host and a port"
		}
		address = u.Host
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || port == "" {
		return "has no host and port"
	}
	return ""
}

// tlsConfig reads the files of the tls block; nil where no member is https://.
func (c Config) tlsConfig() (*tls.Config, error) {
	if !strings.HasPrefix(c.Endpoints[0], "https://") {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TLS == nil {
		return config, nil
	}
	if c.TLS.CAFile != "" {
		pem, err := os.ReadFile(c.TLS.CAFile)
		if err != nil {
			return nil, unreadable("tls.ca_file", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, wrong("tls.ca_file", "holds no certificate in PEM form", "name the file of the authority's certificate")
		}
	}
	if c.TLS.ServerName != "" {
		verifyAs(config, c.TLS.ServerName)
	}
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		return nil, wrong("tls.cert_file", "and key_file go together", "set both or neither")
	}
	if c.TLS.CertFile == "" {
		return config, nil
	}
	pair, err := tls.LoadX509KeyPair(c.TLS.CertFile, c.TLS.KeyFile)
	if err != nil {
		return nil, unreadable("tls.cert_file", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// verifyAs has a member's certificate checked for that name. tls.Config's own
// ServerName would not do: gRPC sets it to the endpoint's host.
func verifyAs(config *tls.Config, name string) {
	roots := config.RootCAs
	config.InsecureSkipVerify = true // VerifyConnection does it
	config.VerifyConnection = func(state tls.ConnectionState) error {
		others := x509.NewCertPool()
		for _, c := range state.PeerCertificates[1:] {
			others.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: name, Roots: roots, Intermediates: others})
		return err
	}
}

func wrong(attribute, problem, advice string) error {
	return &core.AttributeError{Attribute: attribute, Problem: problem, Advice: advice}
}

func unreadable(attribute string, err error) error {
	return &core.AttributeError{Attribute: attribute, Problem: "cannot be used", Err: fmt.Errorf("%w: %w", core.ErrInvalid, err)}
}
