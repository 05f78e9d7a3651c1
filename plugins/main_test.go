package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// The test binary is also the plugin: started again with this variable set, it
// serves the memory arbiter.
const asPlugin = "ELECTD_TEST_PLUGIN"

func TestMain(m *testing.M) {
	switch os.Getenv(asPlugin) {
	case "memory":
		plugins.Serve(memory)
		return
	case "ageless":
		plugins.Serve(ageless)
		return
	case "slower", "smaller":
		limited(os.Getenv(asPlugin)).Serve()
	case "file":
		filed.Serve()
	case "stall before", "stall after":
		stalling(os.Getenv(asPlugin) == "stall after").Serve()
	case "constant":
		constantPlugin.Serve()
	case "host":
		beHost()
	case "":
		goleak.VerifyTestMain(m)
	default:
		misbehave(os.Getenv(asPlugin))
	}
}

// memory is a plugin whose arbiter lives in its process: it forgets everything
// when the process ends, which makes restarts easy to see.
var memory = plugins.Plugin[memoryConfig]{
	Name:    "memory",
	Version: "1.2.3",
	Doc:     "Keeps records in the plugin's own memory, for tests.",
	New:     newMemory,
	Limits: func(memoryConfig) plugins.Capabilities {
		return plugins.Capabilities{Age: true, MaxRecordBytes: 1 << 20, MinWriteInterval: time.Second}
	},
}

// limited is memory with a tighter limit.
func limited(mode string) plugins.Plugin[memoryConfig] {
	p := memory
	p.Limits = func(c memoryConfig) plugins.Capabilities {
		can := memory.Limits(c)
		if mode == "slower" {
			can.MinWriteInterval += time.Millisecond
		} else {
			can.MaxRecordBytes = core.MaxRecordBytes - 1
		}
		return can
	}
	return p
}

// ageless tells ages, as memory does, without saying that it can.
var ageless = func() plugins.Plugin[memoryConfig] {
	p := memory
	p.Limits = nil
	return p
}()

type memoryConfig struct {
	Label   string            `electd:"label,required" doc:"Any text."`
	Secret  string            `electd:"secret,sensitive" doc:"Never shown."`
	Fail    string            `electd:"fail" doc:"What every call does instead of its work."`
	Say     string            `electd:"say" doc:"Printed to standard error when opened."`
	Count   int               `electd:"count" default:"3" doc:"A number."`
	Ratio   float64           `electd:"ratio" default:"0.5" doc:"A fraction."`
	Strict  bool              `electd:"strict" default:"true" doc:"A switch."`
	Timeout time.Duration     `electd:"timeout" default:"2s" doc:"A duration."`
	Hosts   []string          `electd:"hosts" doc:"A list."`
	Headers map[string]string `electd:"headers" doc:"A map."`
	TLS     *memoryTLS        `electd:"tls,block" doc:"A block."`
}

type memoryTLS struct {
	CAFile string `electd:"ca_file,required" doc:"A file."`
	Server string `electd:"server" default:"localhost" doc:"A name."`
}

// text is the configuration as a plugin can say it to a test; it leaves out the
// secret, which would be hidden.
func (c memoryConfig) text() string {
	tls := c.TLS
	c.TLS, c.Secret = nil, ""
	return fmt.Sprintf("%+v %+v", c, tls)
}

type memoryArbiter struct {
	config memoryConfig

	mu      sync.Mutex
	records map[string]core.Snapshot
	count   int
	changed chan struct{}
}

func newMemory(_ context.Context, c memoryConfig) (core.Arbiter, error) {
	if c.Say != "" {
		fmt.Fprintln(os.Stderr, c.Say)
	}
	var problems []error
	if c.Label == "panic" {
		panic("no way with " + c.Secret)
	}
	if c.Label == "wrong" {
		problems = append(problems, &core.AttributeError{Attribute: "label", Problem: "is wrong", Advice: "give another"})
	}
	if c.TLS != nil && c.TLS.CAFile == "missing.pem" {
		problems = append(problems, &core.AttributeError{Attribute: "tls.ca_file", Problem: "cannot be read", Err: os.ErrNotExist})
	}
	if c.Label == "denied" {
		problems = append(problems, &core.AttributeError{Attribute: "label", Problem: "is not for you", Err: core.ErrDenied})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &memoryArbiter{config: c, records: map[string]core.Snapshot{}, changed: make(chan struct{})}, nil
}

var failures = map[string]error{
	"conflict":    core.ErrConflict,
	"unknown":     core.ErrUnknown,
	"unavailable": core.ErrUnavailable,
	"throttled":   core.ErrThrottled,
	"denied":      core.ErrDenied,
	"invalid":     core.ErrInvalid,
	"corrupt":     core.ErrCorrupt,
	"uncoded":     errors.New("no code at all"),
	"odd":         fmt.Errorf("%w: \xff\xfe", core.ErrDenied),
}

// misbehave does what the configuration asks for instead of a call's work, or
// what the key does: "fail/denied".
func (m *memoryArbiter) misbehave(ctx context.Context, key string) error {
	how := m.config.Fail
	if name, asked := strings.CutPrefix(key, "fail/"); asked {
		how = name
	}
	switch how {
	case "":
		return nil
	case "hang":
		<-ctx.Done()
		return ctx.Err()
	case "deaf":
		select {}
	case "exit":
		os.Exit(7)
	case "echo":
		return fmt.Errorf("%w: %s", core.ErrInvalid, m.config.text())
	case "secret":
		return fmt.Errorf("%w: the password is %s", core.ErrDenied, m.config.Secret)
	}
	return fmt.Errorf("memory: %w", failures[how])
}

func (m *memoryArbiter) Read(ctx context.Context, key string) (core.Snapshot, error) {
	if err := m.misbehave(ctx, key); err != nil {
		return core.Snapshot{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.records[key]
	s.Age, s.StoreTime = time.Since(s.StoreTime), time.Now() // an age of centuries if there is no record
	return s, nil
}

func (m *memoryArbiter) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	if err := m.misbehave(ctx, swap.Key); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[swap.Key].Version != swap.Expected {
		return "", fmt.Errorf("memory: %w: version is %q", core.ErrConflict, m.records[swap.Key].Version)
	}
	m.count++
	version := core.Version(fmt.Sprintf("v%d\xff", m.count))
	m.records[swap.Key] = core.Snapshot{Version: version, Record: swap.Record, StoreTime: time.Now()}
	close(m.changed)
	m.changed = make(chan struct{})
	return version, nil
}

func (m *memoryArbiter) Watch(ctx context.Context, key string) (<-chan core.Snapshot, error) {
	if err := m.misbehave(ctx, key); err != nil {
		return nil, err
	}
	changes := make(chan core.Snapshot)
	m.mu.Lock()
	changed := m.changed
	m.mu.Unlock()
	go func() {
		defer close(changes)
		for {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			m.mu.Lock()
			snapshot := m.records[key]
			changed = m.changed
			m.mu.Unlock()
			select {
			case changes <- snapshot:
			case <-ctx.Done():
				return
			}
		}
	}()
	return changes, nil
}

func (m *memoryArbiter) Probe(_ context.Context, key string) (core.ProbeReport, error) {
	return core.ProbeReport{
		Store: "memory",
		Findings: []core.Finding{
			{Check: "create", Why: "Because.", Verdict: core.Passed, Observed: "it works on " + key},
			{Check: "age", Why: "Because.", Verdict: core.Warned, Observed: "none", Advice: "do something"},
		},
		Read:     core.Latencies{Count: 3, P50: time.Millisecond, P90: 2 * time.Millisecond, P99: 3 * time.Millisecond},
		Write:    core.Latencies{Count: 1, P50: 5 * time.Millisecond},
		Offset:   -3 * time.Second,
		OffsetBy: time.Second,
		Requests: 4,
	}, nil
}

func (m *memoryArbiter) Report(ctx context.Context) (core.ArbiterReport, error) {
	if m.config.Fail != "" {
		return core.ArbiterReport{}, m.misbehave(ctx, "")
	}
	return core.ArbiterReport{
		Credentials: core.Credentials{
			Source: "the test", ID: "key-1", Expires: time.Unix(1_800_000_000, 5).UTC(), Problem: "no token, with " + m.config.Secret,
		},
		Problems:  []string{"one voter is away; start it", "odd \xff bytes of " + m.config.Secret},
		Preferred: []string{"db-c", "db-b"},
	}, nil
}

func (m *memoryArbiter) Close() error { return nil }
