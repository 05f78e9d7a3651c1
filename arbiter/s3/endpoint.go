package s3

import (
	"net"
	"net/url"
	"strings"
)

// checkEndpoint refuses endpoints that could never work as they stand.
func checkEndpoint(c Config) error {
	if c.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return wrong("endpoint", c.Endpoint+" is not a URL with http:// or https://", "write it like https://s3.example.com:9000")
	case u.Hostname() == "":
		return wrong("endpoint", c.Endpoint+" names no host", "write it like https://s3.example.com:9000")
	case u.User != nil:
		return wrong("endpoint", "carries a user name", "credentials go into access_key_id and secret_access_key or the standard chain")
	case isGoogle(u.Hostname()):
		return wrong("endpoint", u.Hostname()+" is Google Cloud Storage, which ignores If-Match on writes: two leaders could live", `use arbiter "gcs"`)
	case strings.Trim(u.Path, "/") == c.Bucket:
		return wrong("endpoint", "has the bucket in its path", "remove /"+c.Bucket+" from the endpoint and set path_style = true")
	case strings.Trim(u.Path, "/") != "":
		return wrong("endpoint", "has a path: "+u.Path, "S3 requests are signed from the root; a path in front of the keys goes into prefix")
	case u.RawQuery != "" || u.Fragment != "":
		return wrong("endpoint", "has a query or fragment", "write it like https://s3.example.com:9000")
	case strings.HasPrefix(u.Hostname(), c.Bucket+"."):
		return wrong("endpoint", "has the bucket in its host name", "write the endpoint without it: "+u.Scheme+"://"+strings.TrimPrefix(u.Host, c.Bucket+"."))
	}
	return nil
}

func isGoogle(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "googleapis.com" || strings.HasSuffix(host, ".googleapis.com") ||
		host == "storage.cloud.google.com"
}

// isAmazon tells whether an endpoint is Amazon's own; "" is the SDK's default.
func isAmazon(endpoint string) bool {
	if endpoint == "" {
		return true
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return strings.HasSuffix(host, ".amazonaws.com") || strings.HasSuffix(host, ".amazonaws.com.cn")
}

// needsPathStyle tells whether a bucket cannot stand in front of the endpoint's
// host name: an IP address or a host without a domain has no subdomains.
func needsPathStyle(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || endpoint == "" {
		return false
	}
	host := u.Hostname()
	return net.ParseIP(host) != nil || !strings.Contains(host, ".")
}
