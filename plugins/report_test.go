package plugins_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// A report crosses the boundary as it was made, but for secrets.
func TestReportThroughAPlugin(t *testing.T) {
	h := launchMemory(t, plugins.Values{"secret": "hush hush"})
	if !h.Capabilities().Report {
		t.Error("the plugin does not say that it reports")
	}
	got, err := h.Arbiter().(core.Reporter).Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := core.ArbiterReport{
		Credentials: core.Credentials{
			Source: "the test", ID: "key-1", Expires: time.Unix(1_800_000_000, 5).UTC(), Problem: "no token, with (sensitive)",
		},
		Problems:  []string{"one voter is away; start it", "odd \uFFFD bytes of (sensitive)"},
		Preferred: []string{"db-c", "db-b"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the report changed on its way:\n got %+v\nwant %+v", got, want)
	}
}

// An arbiter that reports nothing is not asked, and has nothing to tell.
func TestReportOfAPluginThatMakesNone(t *testing.T) {
	spec, _ := specFor(t, "constant")
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Configure(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	got, err := h.Report(t.Context())
	if err != nil || h.Capabilities().Report || !reflect.DeepEqual(got, core.ArbiterReport{}) {
		t.Errorf("%+v, %v; want an empty report", got, err)
	}
}

func TestReportThatFails(t *testing.T) {
	h := launchMemory(t, plugins.Values{"fail": "denied"})
	if _, err := h.Report(t.Context()); !errors.Is(err, core.ErrDenied) {
		t.Errorf("%v, want denied", err)
	}
}
