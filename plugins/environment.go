package plugins

import (
	"slices"
	"strings"
)

// passed names the environment variables every plugin gets if the host has
// them; a name that ends in * is a prefix. Everything else is kept from it: a
// host's environment may hold secrets that are no business of its arbiter.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR",
	"AWS_*", "GOOGLE_*", "CLOUDSDK_*", "GCE_METADATA_*", "STORAGE_EMULATOR_HOST",
}

// environment picks from the host's environment what a plugin gets. Each of
// more is a name, a prefix that ends in *, or NAME=value, which sets it.
func environment(host, more []string) []string {
	var picked, set []string
	allowed := slices.Clone(passed)
	for _, m := range more {
		if strings.Contains(m, "=") {
			set = append(set, m)
		} else {
			allowed = append(allowed, m)
		}
	}
	for _, variable := range host {
		name, _, _ := strings.Cut(variable, "=")
		if slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, name) }) {
			picked = append(picked, variable)
		}
	}
	return append(picked, set...)
}

func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
