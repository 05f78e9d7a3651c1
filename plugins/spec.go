package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Spec says which plugin to launch and how.
type Spec struct {
	Name string // for messages and log lines

	// Exactly one of Path and Self says what is executed: a plugin's file, or
	// the running program itself with these arguments.
	Path string
	Self []string

	Pin       string   // sha256 of the file at Path in hexadecimal; empty: not checked
	Plaintext bool     // no TLS on the socket, for a plugin that cannot do AutoMTLS
	Env       []string // passed on as well: NAME, PREFIX* or NAME=value
	SocketDir string   // where the socket's directory is made; empty: TMPDIR, else /tmp
	Log       hclog.Logger
	Timeouts  Timeouts
}

// Timeouts bound what a plugin may take. Zero means the default.
type Timeouts struct {
	Start     time.Duration // until it has said what it is; 10 s
	Configure time.Duration // of Configure; 10 s
	Call      time.Duration // of Read and CompareAndSwap without a deadline of their own; 30 s
	Probe     time.Duration // of Probe without a deadline of its own; 2 min
	Health    time.Duration // between two looks at it, and for two of its answers; 2 s
	Stop      time.Duration // until it has ended by itself; 2 s
}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Start:     cmp.Or(t.Start, 10*time.Second),
		Configure: cmp.Or(t.Configure, 10*time.Second),
		Call:      cmp.Or(t.Call, 30*time.Second),
		Probe:     cmp.Or(t.Probe, 2*time.Minute),
		Health:    cmp.Or(t.Health, 2*time.Second),
		Stop:      cmp.Or(t.Stop, 2*time.Second),
	}
}

var sha256Hex = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

// complete checks the spec and fills in what was left out.
func (s Spec) complete() (Spec, error) {
	s.Timeouts = s.Timeouts.withDefaults()
	if s.Log == nil {
		s.Log = hclog.NewNullLogger()
	}
	s.Log = s.Log.Named("plugin").With("plugin", s.Name)
	switch {
	case (s.Path == "") == (s.Self == nil):
		return s, errors.New("name either a file or the arguments of the running program")
	case s.Pin != "" && s.Path == "":
		return s, errors.New("only a file can be pinned")
	case s.Pin != "" && !sha256Hex.MatchString(s.Pin):
		return s, fmt.Errorf("pin %q is not a sha256 in hexadecimal", s.Pin)
	}
	if s.Path == "" {
		return s, nil
	}
	// A relative path would mean another file after a change of directory.
	path, err := filepath.Abs(s.Path)
	s.Path = path
	return s, err
}
