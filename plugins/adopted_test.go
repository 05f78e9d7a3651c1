package plugins_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/electd/electd/plugins"
)

// After a crash the plugin that was adopted is started again, pinned or not,
// whatever lies at its path by then: only a reload adopts another file.
func TestACrashAdoptsNoOtherFile(t *testing.T) {
	replace := func(path, text string) error {
		return errors.Join(os.WriteFile(path+".new", []byte(text), 0o755), os.Rename(path+".new", path))
	}
	for name, spoil := range map[string]func(path string) error{
		"replaced": func(path string) error { return replace(path, "#!/bin/sh\necho another >&2\n") },
		"garbage":  func(path string) error { return replace(path, "garbage") },
		"removed":  os.Remove,
		"rewritten": func(path string) error { // in place, which a script allows
			return os.WriteFile(path, []byte("#!/bin/sh\necho another >&2\n"), 0o755)
		},
		"opened to others":    func(path string) error { return os.Chmod(path, 0o777) },
		"no longer a program": func(path string) error { return os.Chmod(path, 0o600) },
	} {
		for _, pinned := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, pinned=%v", name, pinned), func(t *testing.T) {
				spec, log := specFor(t, "memory")
				spec.Self, spec.Path = nil, script(t, "")
				if pinned {
					spec.Pin = pinOf(t, spec.Path)
				}
				h := launch(t, spec, nil)
				if err := spoil(spec.Path); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					pid := h.Status().PID
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Fatal(err)
					}
					await(t, "the adopted plugin runs again", runsAnew(h, pid))
				}
				if _, err := h.Arbiter().Read(t.Context(), "k"); err != nil {
					t.Error(err)
				}
				if got := h.Status().Starts; got != 3 {
					t.Errorf("%d starts, want 3: no failed one in between", got)
				}
				if strings.Contains(log.String(), "could not be restarted") {
					t.Error("a restart failed")
				}
			})
		}
	}
}

// A program is started from the copy as well, and a reload adopts the new file.
func TestAReplacedProgram(t *testing.T) {
	spec, log := specFor(t, "memory")
	spec.Self, spec.Path = nil, copyOfThisProgram(t)
	files := openFiles(t)
	h := launch(t, spec, nil)
	if err := os.Remove(spec.Path); err != nil {
		t.Fatal(err)
	}
	pid := h.Status().PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the adopted plugin runs again", runsAnew(h, pid))
	if !strings.Contains(log.String(), "is not the adopted one") {
		t.Error("the log does not tell of the other file")
	}
	if err := h.Reload(t.Context(), spec, plugins.Values{"label": "x"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a reload of a file that is gone: %v", err)
	}
	if err := os.WriteFile(spec.Path, []byte(readFile(t, script(t, "echo the new file >&2"))), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := h.Reload(t.Context(), spec, plugins.Values{"label": "x"}); err != nil {
		t.Fatal(err)
	}
	await(t, "the new file's line", func() bool { return strings.Contains(log.String(), "the new file") })
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, "all files are closed", func() bool { return openFiles(t) <= files })
	if left, _ := filepath.Glob(spec.Path + "*"); len(left) != 1 {
		t.Errorf("left beside the file: %q", left)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
