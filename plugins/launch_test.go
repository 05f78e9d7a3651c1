package plugins_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// lockedBuffer is a log's output that a test may read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// specFor is the spec of the test binary as a plugin that behaves as named.
func specFor(t testing.TB, behaviour string) (plugins.Spec, *lockedBuffer) {
	log := &lockedBuffer{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return plugins.Spec{
		Name: "memory",
		Self: []string{},
		Env:  []string{asPlugin + "=" + behaviour},
		Log:  hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Debug}),
	}, log
}

// launch starts the memory plugin and configures it.
func launch(t testing.TB, spec plugins.Spec, values plugins.Values) *plugins.Host {
	t.Helper()
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	if values == nil {
		values = plugins.Values{}
	}
	if _, has := values["label"]; !has {
		values["label"] = "x"
	}
	if err := h.Configure(t.Context(), values); err != nil {
		t.Fatal(err)
	}
	return h
}

func launchMemory(t testing.TB, values plugins.Values) *plugins.Host {
	spec, _ := specFor(t, "memory")
	return launch(t, spec, values)
}

func TestWhatAPluginSaysOfItself(t *testing.T) {
	h := launchMemory(t, nil)
	info := h.Info()
	if info.Name != "memory" || info.Version != "1.2.3" || info.Doc == "" || info.SDK == "" {
		t.Errorf("info is %+v", info)
	}
	want, err := plugins.SchemaOf[memoryConfig]()
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Schema(); !reflect.DeepEqual(got, want) {
		t.Errorf("the schema changed on its way:\n got %+v\nwant %+v", got, want)
	}
	can := plugins.Capabilities{Watch: true, Probe: true, Report: true, Age: true, MaxRecordBytes: 1 << 20, MinWriteInterval: time.Second}
	if got := h.Capabilities(); got != can {
		t.Errorf("capabilities are %+v, want %+v", got, can)
	}
}

func TestReadAndSwapThroughAPlugin(t *testing.T) {
	a := launchMemory(t, nil).Arbiter()
	ctx := t.Context()
	s, err := a.Read(ctx, "k")
	if err != nil || s.Version != "" || s.Record != nil {
		t.Fatalf("read of a key never written: %+v, %v", s, err)
	}
	record := []byte("a\x00\xff record")
	v1, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: record, Intent: core.Take})
	if err != nil {
		t.Fatal(err)
	}
	if v1 != "v1\xff" {
		t.Errorf("version is %q: a version is opaque bytes", v1)
	}
	s, err = a.Read(ctx, "k")
	if err != nil || s.Version != v1 || !bytes.Equal(s.Record, record) {
		t.Fatalf("read back %+v, %v", s, err)
	}
	if s.Age <= 0 || time.Since(s.StoreTime).Abs() > time.Minute {
		t.Errorf("age %s and store time %s did not come through", s.Age, s.StoreTime)
	}
	if _, err = a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: record, Intent: core.Take}); !errors.Is(err, core.ErrConflict) {
		t.Errorf("a second create: %v, want a conflict", err)
	}
	if _, err = a.CompareAndSwap(ctx, core.Swap{Key: "k", Expected: v1, Record: []byte("b"), Intent: core.Release}); err != nil {
		t.Error(err)
	}
}

func TestErrorCodesSurviveTheBoundary(t *testing.T) {
	a := launchMemory(t, nil).Arbiter()
	for name, cause := range failures {
		t.Run(name, func(t *testing.T) {
			key := "fail/" + name
			_, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("r")})
			if got, want := core.WriteOutcome(err), core.WriteOutcome(cause); got != want {
				t.Errorf("write: outcome %v of %v, want %v", got, err, want)
			}
			_, err = a.Read(t.Context(), key)
			want := core.ReadOutcome(cause)
			if want == core.Conflict || want == core.Unknown {
				want = core.Unavailable // they mean nothing on a read
			}
			if got := core.ReadOutcome(err); got != want {
				t.Errorf("read: outcome %v of %v, want %v", got, err, want)
			}
			if !strings.Contains(err.Error(), "memory: ") {
				t.Errorf("the plugin's own text is lost: %v", err)
			}
			if _, err = a.(core.Watcher).Watch(t.Context(), key); core.ReadOutcome(err) != want {
				t.Errorf("watch: outcome %v of %v, want %v", core.ReadOutcome(err), err, want)
			}
		})
	}
}

func TestWrongAttributesAreNamed(t *testing.T) {
	spec, _ := specFor(t, "memory")
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	cases := []struct {
		name   string
		values plugins.Values
		want   []string
	}{
		{"missing", plugins.Values{}, []string{"label: is missing"}},
		{"unknown", plugins.Values{"label": "x", "lable": "y"}, []string{"lable: is not an attribute"}},
		{"type", plugins.Values{"label": true}, []string{"label: is of another type"}},
		{"in a block", plugins.Values{"label": "x", "tls": plugins.Values{}}, []string{"tls.ca_file: is missing"}},
		{"by the arbiter, two", plugins.Values{"label": "wrong", "tls": plugins.Values{"ca_file": "missing.pem"}},
			[]string{"label: is wrong (give another)", "tls.ca_file: cannot be read: file does not exist"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := h.Configure(t.Context(), c.values)
			var fault *core.AttributeError
			if !errors.As(err, &fault) || !errors.Is(err, core.ErrInvalid) {
				t.Fatalf("%v is no invalid attribute", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
	if err := h.Configure(t.Context(), plugins.Values{"label": "denied"}); !errors.Is(err, core.ErrDenied) {
		t.Errorf("%v lost the code of its cause", err)
	}
	if err := h.Configure(t.Context(), plugins.Values{"label": "x"}); err != nil {
		t.Errorf("after all these, a right configuration: %v", err)
	}
}

func TestWatchThroughAPlugin(t *testing.T) {
	a := launchMemory(t, nil).Arbiter()
	ctx, cancel := context.WithCancel(t.Context())
	changes, err := a.(core.Watcher).Watch(ctx, "k")
	if err != nil {
		t.Fatal(err)
	}
	version, err := a.CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case s := <-changes:
		if s.Version != version || string(s.Record) != "r" {
			t.Errorf("the watch sent %+v", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the watch sent nothing")
	}
	cancel()
	select {
	case _, open := <-changes:
		if open {
			t.Error("the watch sent something after its end")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the watch did not end")
	}
}

func TestProbeThroughAPlugin(t *testing.T) {
	a := launchMemory(t, nil).Arbiter()
	got, err := a.(core.Prober).Probe(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	want, _ := (&memoryArbiter{}).Probe(t.Context(), "p")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the report changed on its way:\n got %+v\nwant %+v", got, want)
	}
}

// A plugin may ignore its deadline; its host does not.
func TestDeadlineHolds(t *testing.T) {
	a := launchMemory(t, plugins.Values{"fail": "deaf"}).Arbiter()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // time to be sent, too
	defer cancel()
	begun := time.Now()
	_, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("r")})
	if core.WriteOutcome(err) != core.Unknown {
		t.Errorf("a write past its deadline: %v, want unknown", err)
	}
	if took := time.Since(begun); took > patient {
		t.Errorf("it took %s", took)
	}
	<-ctx.Done() // the plugin's side may have been a little earlier
	if _, err := a.CompareAndSwap(ctx, core.Swap{Key: "k", Record: []byte("r")}); core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("a write after its deadline: %v, want unavailable: it is not sent", err)
	}
}

// A plugin that is killed from outside while it starts is started again: that says
// nothing of it, and the daemon would be gone for good.
func TestStruckWhileStarting(t *testing.T) {
	spec, log := specFor(t, "struck "+filepath.Join(t.TempDir(), "struck"))
	h := launch(t, spec, plugins.Values{"label": "x"})
	if name := h.Info().Name; name != "memory" {
		t.Errorf("it is %q", name)
	}
	if !strings.Contains(log.String(), "the plugin was killed while it started; starting it again") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}
