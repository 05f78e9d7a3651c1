package etcd

import (
	"strings"
	"testing"
)

// The same mistake meets EOF, a reset or a broken pipe, as chance has it, and gets
// the same advice. These are texts of gRPC's, as a person has seen them.
func TestAdviceOn(t *testing.T) {
	for why, want := range map[string]string{
		`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`:                              "is etcd running?",
		`connection error: desc = "transport: Error while dialing: dial tcp: lookup db.invalid: no such host"`:                                      "check the host names",
		`connection error: desc = "transport: authentication handshake failed: EOF"`:                                                                "write http://",
		`connection error: desc = "transport: authentication handshake failed: unexpected EOF"`:                                                     "write http://",
		`connection error: desc = "transport: authentication handshake failed: read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer"`:  "write http://",
		`connection error: desc = "transport: authentication handshake failed: write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe"`:             "write http://",
		`connection error: desc = "transport: authentication handshake failed: tls: first record does not look like a TLS handshake"`:               "write http://",
		`connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: signed by whom"`:            "check the tls block",
		`connection error: desc = "transport: authentication handshake failed: remote error: tls: handshake failure"`:                               "check the tls block",
		`connection error: desc = "transport: authentication handshake failed: credentials: cannot check peer: missing selected ALPN property. If"`: "check endpoints",
		`connection error: desc = "error reading server preface: remote error: tls: certificate required"`:                                          "check the tls block",
		`connection error: desc = "error reading server preface: EOF"`:                                                                              "https://",
		`connection error: desc = "error reading server preface: connection reset by peer"`:                                                         "https://",
		`connection error: desc = "transport: failed to write client preface: write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe"`:              "https://",
		`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection reset by peer"`:                        "https://",
		`write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe`:                                                                                    "https://",
		`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: i/o timeout"`:                                              "",
	} {
		if got := adviceOn(why); got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s: advice %q, want %q", why, got, want)
		}
	}
}
