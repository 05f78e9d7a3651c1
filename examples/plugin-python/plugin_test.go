package plugin_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
	"github.com/electd/electd/examples/webstore/store"
	"github.com/electd/electd/plugins"
	"github.com/electd/electd/plugins/verify"
)

// build makes the plugin's one file. Without Python's gRPC the test is skipped
// and says so; with ELECTD_TEST_NO_SKIP set, as in CI, it fails.
func build(t *testing.T) plugins.Spec {
	t.Helper()
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import grpc, google.protobuf").CombinedOutput(); err != nil {
		const message = "Python's gRPC is not installed: run scripts/install-python-grpc.sh"
		if os.Getenv("ELECTD_TEST_NO_SKIP") != "" {
			t.Fatalf("%s\n%s", message, out)
		}
		t.Skip("SKIPPED: " + message)
	}
	path := filepath.Join(t.TempDir(), "electd-arbiter-web")
	if out, err := exec.Command("./build.sh", path).CombinedOutput(); err != nil {
		t.Fatalf("build.sh: %v\n%s", err, out)
	}
	pin, err := plugins.Pin(path)
	if err != nil {
		t.Fatal(err)
	}
	// Python is slow to start on a busy machine.
	return plugins.Spec{Name: "web", Path: path, Pin: pin, Plaintext: true, Timeouts: plugins.Timeouts{Start: time.Minute}}
}

func TestConformance(t *testing.T) {
	s := store.New()
	server := httptest.NewServer(s)
	defer server.Close()
	report, err := verify.Run(t.Context(), verify.Options{
		Spec:   build(t),
		Values: plugins.Values{"url": server.URL},
		Faulty: func(_ context.Context, v plugins.Values) (plugins.Values, arbitertest.Faults, error) {
			way := store.NewWay(s)
			broken := httptest.NewServer(way)
			t.Cleanup(broken.Close)
			return plugins.Values{"url": broken.URL}, way.Faults(), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Err(); err != nil || !report.Certified() {
		_ = report.WriteText(t.Output())
		t.Errorf("not certified: %v", err)
	}
}

func TestItIsAPluginLikeAnyOther(t *testing.T) {
	spec := build(t)
	h, err := plugins.Launch(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if i := h.Info(); i.Name != "web" || i.Version != "1.0.0" {
		t.Errorf("info is %+v", i)
	}
	if a := h.Schema().Find("token"); a == nil || !a.Sensitive || a.Type != plugins.TypeString {
		t.Errorf("attribute token is %+v", a)
	}
	err = h.Configure(t.Context(), plugins.Values{"url": "ftp://example.com"})
	var fault *core.AttributeError
	if !errors.As(err, &fault) || fault.Attribute != "url" || fault.Advice == "" {
		t.Errorf("%v is not about url", err)
	}
	if err := h.Configure(t.Context(), plugins.Values{"url": "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	_, err = h.Arbiter().CompareAndSwap(t.Context(), core.Swap{Key: "k", Record: []byte("r")})
	if core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("a write to nobody: %v, want unavailable", err)
	}
	pid := h.Status().PID
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond)
	if s := h.Status(); s.PID != pid || !s.Running {
		t.Errorf("the signals ended it: %+v", s)
	}
	begun := time.Now()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("after Close the process lives: %v", err)
	}
	t.Logf("closing took %s", time.Since(begun))
}

func TestTLSIsNotLeftOutInSilence(t *testing.T) {
	spec := build(t)
	spec.Plaintext = false
	_, err := plugins.Launch(t.Context(), spec)
	if err == nil || !strings.Contains(err.Error(), "cannot do TLS: write insecure = true into its plugin block") {
		t.Errorf("%v does not say why", err)
	}
}

// The end of standard input ends it, also where no kernel does.
func TestItEndsWithItsHost(t *testing.T) {
	spec := build(t)
	plugin := exec.Command(spec.Path)
	plugin.Env = append(os.Environ(), "ELECTD_ARBITER_PLUGIN=electd.arbiter", "PLUGIN_UNIX_SOCKET_DIR="+t.TempDir())
	stdin, err := plugin.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.Start(); err != nil {
		t.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- plugin.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("it ended with %v, want exit status 3", err)
		}
	case <-time.After(30 * time.Second):
		_ = plugin.Process.Kill()
		t.Error("it outlived its host")
	}
}
