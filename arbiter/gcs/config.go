package gcs

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/electd/electd/core"
)

// Config is the configuration of the arbiter "gcs". Only Bucket must be set. A
// zero value means the default that the tag names.
type Config struct {
	Bucket string `electd:"bucket,required" doc:"Name of the bucket."`
	Prefix string `electd:"prefix" doc:"Put in front of every key, with a slash between."`

	Endpoint        string `electd:"endpoint" doc:"URL of another server with Google Cloud Storage's JSON API, without a path: an emulator or a private endpoint. Over http:// no credentials are sent. Default: STORAGE_EMULATOR_HOST, else Google's."`
	CredentialsFile string `electd:"credentials_file" doc:"File with a service account key or an external account's configuration. Default: application default credentials."`

	ClockSkew      time.Duration `electd:"clock_skew" default:"1s" doc:"How far the clocks of the store's own servers may differ. Taken off a record's age."`
	ConnectTimeout time.Duration `electd:"connect_timeout" default:"2s" doc:"Limit of dialling and of the TLS handshake."`
	RequestTimeout time.Duration `electd:"request_timeout" default:"5s" doc:"Limit of one request, besides the caller's own deadline. The wait between two writes of one record counts."`
}

// The defaults, as the tags above state them.
const (
	defaultClockSkew      = time.Second
	defaultConnectTimeout = 2 * time.Second
	defaultRequestTimeout = 5 * time.Second
)

// emulatorVariable names a server to use in place of Google's, as all of
// Google's client libraries have it.
const emulatorVariable = "STORAGE_EMULATOR_HOST"

// withDefaults returns c with every zero value replaced by its default.
func (c Config) withDefaults() Config {
	c.Prefix = strings.TrimSuffix(c.Prefix, "/")
	if host := os.Getenv(emulatorVariable); c.Endpoint == "" && host != "" {
		c.Endpoint = host
		if !strings.Contains(host, "://") {
			c.Endpoint = "http://" + host
		}
	}
	c.Endpoint = strings.TrimSuffix(c.Endpoint, "/")
	if c.ClockSkew == 0 {
		c.ClockSkew = defaultClockSkew
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = defaultConnectTimeout
	}
	if c.RequestTimeout == 0 {
		c.RequestTimeout = defaultRequestTimeout
	}
	return c
}

// anonymous reports whether requests carry no credentials: what is sent in plain
// text could be used by whoever reads it.
func (c Config) anonymous() bool { return strings.HasPrefix(c.Endpoint, "http://") }

// check returns what is wrong with c's own values, without asking anybody.
func (c Config) check() error {
	for _, rule := range []func(Config) error{checkBucket, checkPrefix, checkEndpoint, checkCredentials, checkTimes} {
		if err := rule(c); err != nil {
			return err
		}
	}
	return nil
}

func checkBucket(c Config) error {
	switch {
	case c.Bucket == "":
		return wrong("bucket", "is missing", "name the bucket that holds the lease records")
	case strings.Contains(c.Bucket, "://"):
		return wrong("bucket", "is a URL", "give the bucket's bare name; a path goes into prefix")
	case strings.Contains(c.Bucket, "/"):
		return wrong("bucket", "contains a slash", "give the bucket's bare name; a path goes into prefix")
	case strings.ContainsFunc(c.Bucket, noBucketRune):
		return wrong("bucket", "contains a character no bucket name has", "use small letters, digits, dashes, underscores and dots")
	}
	return nil
}

// noBucketRune reports whether no bucket's name contains r.
func noBucketRune(r rune) bool {
	return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r))
}

func checkPrefix(c Config) error {
	if strings.HasPrefix(c.Prefix, "/") {
		return wrong("prefix", "begins with a slash", fmt.Sprintf("write %q: a bucket has no root", strings.TrimLeft(c.Prefix, "/")))
	}
	for element := range strings.SplitSeq(c.Prefix, "/") {
		if element == "." || element == ".." {
			return wrong("prefix", fmt.Sprintf("has the path element %q, which does not mean another folder in a bucket", element), "write the place itself: prod/eu")
		}
	}
	if strings.Contains(c.Prefix, "//") || strings.ContainsFunc(c.Prefix, isControl) || !utf8.ValidString(c.Prefix) {
		return wrong("prefix", "contains an empty path element or a control character", "use names with single slashes between: prod/eu")
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func checkEndpoint(c Config) error {
	if c.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil:
		return &core.AttributeError{Attribute: "endpoint", Problem: "is no URL", Err: err, Advice: "it looks like http://127.0.0.1:9023"}
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return wrong("endpoint", fmt.Sprintf("%q does not begin with http:// or https:// and a host", c.Endpoint), "it looks like http://127.0.0.1:9023")
	case u.User != nil:
		return wrong("endpoint", "contains a user name", "use credentials_file")
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "":
		return wrong("endpoint", fmt.Sprintf("%q has something after the host", c.Endpoint), "give scheme, host and port only; the bucket goes into bucket, a path into prefix")
	}
	return nil
}

func checkCredentials(c Config) error {
	if c.CredentialsFile != "" && c.anonymous() {
		return wrong("credentials_file", "is set, but over http:// no credentials are sent", "remove it, or use an https:// endpoint")
	}
	return nil
}

func checkTimes(c Config) error {
	for _, t := range []struct {
		attribute string
		value     time.Duration
	}{
		{"clock_skew", c.ClockSkew},
		{"connect_timeout", c.ConnectTimeout},
		{"request_timeout", c.RequestTimeout},
	} {
		if t.value < 0 {
			return wrong(t.attribute, "is negative: "+t.value.String(), `give a duration such as "2s"`)
		}
	}
	return nil
}

func wrong(attribute, problem, advice string) error {
	return &core.AttributeError{Attribute: attribute, Problem: problem, Advice: advice}
}
