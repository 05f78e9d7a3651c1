package s3

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/electd/electd/core"
)

// Config is the s3 arbiter's configuration. Only Bucket must be set. A zero
// value means the default that the tag names.
type Config struct {
	Bucket string `electd:"bucket,required" doc:"Name of the bucket."`
	Prefix string `electd:"prefix" doc:"Put in front of every key, with a slash between."`
	Region string `electd:"region" doc:"Region of the bucket. Default: from the environment or the profile; us-east-1 if an endpoint is set."`

	Endpoint  string `electd:"endpoint" doc:"URL of an S3-compatible store, without path and without the bucket: https://s3.example.com:9000. Default: Amazon S3."`
	PathStyle bool   `electd:"path_style" doc:"Put the bucket into the path instead of the host name. Always so where the endpoint is an IP address or a single-label host."`

	Profile         string `electd:"profile" doc:"Profile of the shared AWS configuration files."`
	RoleARN         string `electd:"role_arn" doc:"Role to assume with the credentials found."`
	AccessKeyID     string `electd:"access_key_id" doc:"Static access key, for tests and small stores. Default: the standard AWS credential chain."`
	SecretAccessKey string `electd:"secret_access_key,sensitive" doc:"Secret of access_key_id."`
	SessionToken    string `electd:"session_token,sensitive" doc:"Session token of access_key_id, if it is a temporary one."`

	SSE      string `electd:"sse" doc:"Server-side encryption: AES256, aws:kms or aws:kms:dsse. Default: the bucket's own."`
	KMSKeyID string `electd:"kms_key_id" doc:"KMS key for sse = aws:kms or aws:kms:dsse."`

	Headers   map[string]string `electd:"headers" doc:"Extra headers, sent and signed with every request; some stores need one for strong reads."`
	TLSCAFile string            `electd:"tls_ca_file" doc:"PEM file with the only certificate authorities trusted for the endpoint. Default: AWS_CA_BUNDLE, else the system's."`
	ETag      string            `electd:"etag" default:"auto" doc:"How If-Match carries an ETag: quoted, unquoted, or auto to learn it from the store."`

	ClockSkew      time.Duration `electd:"clock_skew" default:"1s" doc:"How far the clocks of the store's own servers may differ. Taken off a record's age."`
	ConnectTimeout time.Duration `electd:"connect_timeout" default:"2s" doc:"Limit of dialling and of the TLS handshake."`
	RequestTimeout time.Duration `electd:"request_timeout" default:"5s" doc:"Limit of one request, besides the caller's own deadline."`
}

// The defaults, as the tags above state them.
const (
	defaultClockSkew      = time.Second
	defaultConnectTimeout = 2 * time.Second
	defaultRequestTimeout = 5 * time.Second
)

// withDefaults returns c with every zero value replaced by its default.
func (c Config) withDefaults() Config {
	c.Prefix = strings.TrimSuffix(c.Prefix, "/")
	c.Endpoint = strings.TrimRight(c.Endpoint, "/")
	if c.ETag == "" {
		c.ETag = "auto"
	}
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

// check returns what is wrong with c's own values, without asking anybody.
func (c Config) check() error {
	for _, rule := range []func(Config) error{
		checkBucket, checkPrefix, checkEndpoint, checkKeys, checkEncryption, checkHeaders, checkETag, checkTimes,
	} {
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
	case strings.HasPrefix(c.Bucket, "s3://"):
		return wrong("bucket", "is a URL", "give the bucket's bare name; a path goes into prefix")
	case strings.Contains(c.Bucket, "/"):
		return wrong("bucket", "contains a slash", "give the bucket's bare name; a path goes into prefix")
	case strings.HasPrefix(c.Bucket, "arn:"):
		return wrong("bucket", "is an ARN", "give the bucket's name; access points are not supported")
	case strings.HasSuffix(c.Bucket, "--x-s3"):
		return wrong("bucket", "is a directory bucket", "use a general purpose bucket; it survives the loss of a zone")
	case strings.ContainsAny(c.Bucket, " \t\r\n?#%"):
		return wrong("bucket", "contains a character no bucket name has", "check for blanks and quotes")
	}
	return nil
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
	if strings.Contains(c.Prefix, "//") || strings.ContainsFunc(c.Prefix, isControl) {
		return wrong("prefix", "contains an empty path element or a control character", "use names with single slashes between: prod/eu")
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func checkKeys(c Config) error {
	switch {
	case c.AccessKeyID == "" && c.SecretAccessKey != "":
		return wrong("secret_access_key", "is set without access_key_id", "set both, or neither to use the standard credential chain")
	case c.AccessKeyID != "" && c.SecretAccessKey == "":
		return wrong("access_key_id", "is set without secret_access_key", "set both, or neither to use the standard credential chain")
	case c.SessionToken != "" && c.AccessKeyID == "":
		return wrong("session_token", "is set without access_key_id", "set all three, or none to use the standard credential chain")
	case c.AccessKeyID != "" && c.Profile != "":
		return wrong("profile", "is set together with access_key_id", "choose one source of credentials")
	case c.RoleARN != "" && !strings.HasPrefix(c.RoleARN, "arn:"):
		return wrong("role_arn", "is not an ARN", "it looks like arn:aws:iam::123456789012:role/electd")
	}
	return nil
}

func checkEncryption(c Config) error {
	switch c.SSE {
	case "", "AES256":
		if c.KMSKeyID != "" {
			return wrong("kms_key_id", "is set without a KMS encryption", `set sse = "aws:kms" as well`)
		}
	case "aws:kms", "aws:kms:dsse":
	default:
		return wrong("sse", "is "+c.SSE, "use AES256, aws:kms or aws:kms:dsse")
	}
	return nil
}

// reserved are the headers that this package or the signature sets itself.
// Idempotency-Key is among them because net/http repeats requests that carry it,
// and a write must never be repeated unseen.
var reserved = []string{
	"Authorization", "Host", "Content-Length", "Content-Type", "Content-Encoding", "Content-Md5", "Transfer-Encoding",
	"Connection", "Expect", "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
	"Idempotency-Key", "X-Idempotency-Key", "X-Amz-Date", "X-Amz-Content-Sha256", "X-Amz-Security-Token",
}

func checkHeaders(c Config) error {
	for name, value := range c.Headers {
		attribute := "headers." + name
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`:"(),/;<=>?@[\]{}`, r) }):
			return wrong(attribute, "is no header name", "use letters, digits and dashes")
		case slices.Contains(reserved, http.CanonicalHeaderKey(name)):
			return wrong(attribute, "is set by the arbiter itself", "remove it")
		case strings.ContainsFunc(value, isControl):
			return wrong(attribute, "contains a control character", "give its value on one line")
		}
	}
	return nil
}

func checkETag(c Config) error {
	if !slices.Contains([]string{"auto", "quoted", "unquoted"}, c.ETag) {
		return wrong("etag", "is "+c.ETag, "use auto, quoted or unquoted")
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
