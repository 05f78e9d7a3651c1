package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/plugins/verify"
)

const asPlugin = "ELECTD_TEST_PLUGIN"

// The test binary is also the plugins that are verified: the file arbiter, and
// one that takes every swap for one on the stored version.
func TestMain(m *testing.M) {
	p := plugins.Plugin[file.Config]{
		Name: "file", Version: "1", Doc: "Keeps records in a directory.",
		New: func(ctx context.Context, c file.Config) (core.Arbiter, error) { return file.New(ctx, c) },
	}
	switch os.Getenv(asPlugin) {
	case "sound":
		p.Serve()
	case "small":
		p.Limits = func(file.Config) plugins.Capabilities { return plugins.Capabilities{MaxRecordBytes: 10} }
		p.Serve()
	case "careless":
		sound := p.New
		p.New = func(ctx context.Context, c file.Config) (core.Arbiter, error) {
			a, err := sound(ctx, c)
			return careless{a}, err
		}
		p.Serve()
	default:
		goleak.VerifyTestMain(m)
	}
}

// careless looks up the expected version by itself, and so swaps on anything.
type careless struct{ core.Arbiter }

func (c careless) CompareAndSwap(ctx context.Context, swap core.Swap) (core.Version, error) {
	if s, err := c.Read(ctx, swap.Key); err == nil && swap.Expected != "" {
		swap.Expected = s.Version
	}
	return c.Arbiter.CompareAndSwap(ctx, swap)
}

func options(t *testing.T, which string) verify.Options {
	return verify.Options{
		Spec:   plugins.Spec{Name: "file", Self: []string{}, Env: []string{asPlugin + "=" + which}},
		Values: plugins.Values{"dir": filepath.Join(t.TempDir(), "records")},
	}
}

func TestSoundPlugin(t *testing.T) {
	heard := 0
	o := options(t, "sound")
	o.OnResult = func(arbitertest.Result) { heard++ }
	report, err := verify.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil {
		t.Error(err)
	}
	if report.Certified() {
		t.Error("certified without the checks that break the way to the store")
	}
	if report.Info.Name != "file" || !report.Capabilities.Watch {
		t.Errorf("%+v %+v", report.Info, report.Capabilities)
	}
	if heard != len(arbitertest.Names()) {
		t.Errorf("heard of %d results, want %d", heard, len(arbitertest.Names()))
	}
}

func TestCarelessPluginIsFoundOut(t *testing.T) {
	report, err := verify.Run(t.Context(), options(t, "careless"))
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "stale-swap") {
		t.Errorf("%v does not name stale-swap", err)
	}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil || !strings.Contains(text.String(), "FAIL  stale-swap") {
		t.Errorf("text, %v:\n%s", err, text.String())
	}
	raw, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Plugin struct{ Name string }
		Report struct {
			Certified bool
			Failed    int
			Checks    []struct{ Name, Status string }
		}
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	if said.Plugin.Name != "file" || said.Report.Certified || said.Report.Failed == 0 || len(said.Report.Checks) != len(arbitertest.Names()) {
		t.Errorf("JSON is %s", raw)
	}
}

func TestWrongConfigurationIsNamed(t *testing.T) {
	o := options(t, "sound")
	o.Values = plugins.Values{}
	_, err := verify.Run(t.Context(), o)
	var fault *core.AttributeError
	if !errors.As(err, &fault) || fault.Attribute != "dir" {
		t.Errorf("%v is not about dir", err)
	}
}

// An arbiter that cannot carry a lease record is told so before anything is
// examined.
func TestTooSmallRecordsAreRefused(t *testing.T) {
	_, err := verify.Run(t.Context(), options(t, "small"))
	if want := "records of at most 10 bytes (its max_record_bytes), and a lease record may have 4096"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
