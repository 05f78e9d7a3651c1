package plugins_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/electd/electd/plugins"
)

// A plugin gets the allowed variables of the host's environment, those named
// for it, and what go-plugin needs. Nothing else.
func TestEnvironmentIsAllowListed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: the environment of another process is read from /proc")
	}
	for name, value := range map[string]string{
		"AWS_REGION": "a", "GOOGLE_CLOUD_PROJECT": "b", "HTTPS_PROXY": "c",
		"DATABASE_PASSWORD": "d", "LD_PRELOAD": "", "PLUGIN_CLIENT_CERT": "e", "MINE_ONE": "f", "MINE_TWO": "g", "OTHER": "h",
	} {
		t.Setenv(name, value)
	}
	spec, _ := specFor(t, "memory")
	spec.Env = append(spec.Env, "MINE_*", "GIVEN=i")
	h := launch(t, spec, nil)
	raw, err := os.ReadFile(filepath.Join("/proc", itoa(h.Status().PID), "environ"))
	if err != nil {
		t.Fatal(err)
	}
	variables := strings.Split(string(raw), "\x00")
	for _, want := range []string{"AWS_REGION=a", "GOOGLE_CLOUD_PROJECT=b", "HTTPS_PROXY=c", "MINE_ONE=f", "MINE_TWO=g", "GIVEN=i"} {
		if !slices.Contains(variables, want) {
			t.Errorf("%s did not get through", want)
		}
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		if name == "DATABASE_PASSWORD" || name == "LD_PRELOAD" || name == "OTHER" || value == "e" {
			t.Errorf("%s got through", name)
		}
	}
}

// While a plugin runs, nothing of it is on disk: nobody else can connect, and
// nothing is left if the host is killed.
func TestNothingIsOnDiskWhileAPluginRuns(t *testing.T) {
	dir := shortDir(t)
	spec, _ := specFor(t, "memory")
	spec.SocketDir = dir
	launch(t, spec, nil)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("%q is there", left)
	}
}

// A host that was killed while it started a plugin leaves a directory behind;
// the next one removes it, and lets be what is in use or somebody's data.
func TestDirectoriesOfDeadHostsAreSwept(t *testing.T) {
	dir := shortDir(t)
	dead := func(name, content string) {
		if err := os.MkdirAll(filepath.Join(dir, name, content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dead("electd-socket-1", "")
	dead("electd-socket-2", "plugin-dir55")
	if err := os.WriteFile(filepath.Join(dir, "electd-socket-2", "exec77"), nil, 0o500); err != nil {
		t.Fatal(err)
	}
	dead("electd-socket-3", "precious")
	dead("electd-socket-4", "plugin-dir5/precious")
	dead("electd-socket-mine", "")
	dead("electd-data", "")
	dead("electd-6", "")
	unlock := lock(t, filepath.Join(dir, "electd-socket-7"))
	defer unlock()
	spec, _ := specFor(t, "memory")
	spec.SocketDir = dir
	launch(t, spec, nil)
	var left []string
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		left = append(left, strings.TrimPrefix(path, dir))
		return nil
	})
	want := []string{"", "/electd-6", "/electd-data", "/electd-socket-3", "/electd-socket-3/precious",
		"/electd-socket-4", "/electd-socket-4/plugin-dir5", "/electd-socket-4/plugin-dir5/precious",
		"/electd-socket-7", "/electd-socket-mine"}
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

func TestSocketDirectory(t *testing.T) {
	t.Run("TMPDIR too long", func(t *testing.T) {
		t.Setenv("TMPDIR", longDir(t))
		launchMemory(t, nil) // in /tmp
	})
	t.Run("TMPDIR missing", func(t *testing.T) {
		t.Setenv("TMPDIR", filepath.Join(shortDir(t), "none"))
		launchMemory(t, nil) // in /tmp
	})
	t.Run("named one too long", func(t *testing.T) {
		spec, _ := specFor(t, "memory")
		spec.SocketDir = longDir(t)
		_, err := plugins.Launch(t.Context(), spec)
		if err == nil || !strings.Contains(err.Error(), spec.SocketDir) || !strings.Contains(err.Error(), "bytes too long for a Unix socket") {
			t.Errorf("%v does not say what is wrong with which directory", err)
		}
	})
	t.Run("named one missing", func(t *testing.T) {
		spec, _ := specFor(t, "memory")
		spec.SocketDir = filepath.Join(shortDir(t), "none")
		_, err := plugins.Launch(t.Context(), spec)
		if err == nil || !strings.Contains(err.Error(), spec.SocketDir) || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("%v does not say what is wrong with which directory", err)
		}
	})
}

func TestPlaintextStaysInItsDirectory(t *testing.T) {
	spec, _ := specFor(t, "memory")
	spec.Plaintext = true
	h := launch(t, spec, nil)
	if _, err := h.Arbiter().Read(t.Context(), "k"); err != nil {
		t.Error(err)
	}
	spec, _ = specFor(t, "elsewhere")
	spec.Plaintext = true
	_, err := plugins.Launch(t.Context(), spec)
	if err == nil || !strings.Contains(err.Error(), "without TLS it must listen on a Unix socket in the directory") {
		t.Errorf("a plain text socket where others can reach it: %v", err)
	}
}

// A plugin that does not speak TLS is not spoken to in plain text unless that
// was asked for.
func TestNoSilentPlaintext(t *testing.T) {
	spec, _ := specFor(t, "notls")
	if _, err := plugins.Launch(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "insecure = true into its plugin block") {
		t.Errorf("a plugin without TLS: %v, want what to do", err)
	}
	spec.Plaintext = true
	launch(t, spec, nil)
}

func TestStartsAndStopsLeakNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: open files are counted in /proc")
	}
	dir := shortDir(t)
	once := func() {
		spec, _ := specFor(t, "memory")
		spec.SocketDir = dir
		h, err := plugins.Launch(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Configure(t.Context(), plugins.Values{"label": "x"}); err != nil {
			t.Error(err)
		}
		if _, err := h.Arbiter().Read(t.Context(), "k"); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		spec, _ = specFor(t, "die")
		spec.SocketDir = dir
		if _, err := plugins.Launch(t.Context(), spec); err == nil {
			t.Error("a plugin that dies was launched")
		}
	}
	once()
	files, before := openFiles(t), goleak.IgnoreCurrent()
	cycles := 20
	if testing.Short() {
		cycles = 4
	}
	for range cycles {
		once()
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d files are open, %d were before", now, files)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

func TestPluginsAreFoundInTheirDirectoryOnly(t *testing.T) {
	path := copyOfThisProgram(t)
	dir := filepath.Dir(path)
	t.Setenv("PATH", dir)
	got, err := plugins.Find(dir, "memory")
	if err != nil || got != path {
		t.Errorf("found %q, %v; want %q", got, err, path)
	}
	if _, err := plugins.Find(t.TempDir(), "memory"); err == nil || !strings.Contains(err.Error(), "holds no plugin") {
		t.Errorf("in another directory: %v", err)
	}
	if _, err := plugins.Find(dir, "memroy"); err == nil || !strings.Contains(err.Error(), "holds memory") {
		t.Errorf("a wrong name: %v", err)
	}
	for _, name := range []string{"", "../memory", "a/b", "Memory"} {
		if _, err := plugins.Find(dir, name); err == nil {
			t.Errorf("the name %q was accepted", name)
		}
	}
	if names, err := plugins.List(dir); err != nil || !slices.Equal(names, []string{"memory"}) {
		t.Errorf("listed %q, %v", names, err)
	}
	if names, err := plugins.List(filepath.Join(dir, "none")); err != nil || names != nil {
		t.Errorf("a directory that is not there: %q, %v", names, err)
	}
}
