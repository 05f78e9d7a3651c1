package plugins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/electd/electd/plugins"
)

func specForFile(t testing.TB, path string) plugins.Spec {
	spec, _ := specFor(t, "memory")
	spec.Self, spec.Path = nil, path
	return spec
}

func pinOf(t testing.TB, path string) string {
	t.Helper()
	pin, err := plugins.Pin(path)
	if err != nil {
		t.Fatal(err)
	}
	return pin
}

func TestPinnedPluginRuns(t *testing.T) {
	spec := specForFile(t, copyOfThisProgram(t))
	spec.Pin = strings.ToUpper(pinOf(t, spec.Path))
	h := launch(t, spec, nil)
	if _, err := h.Arbiter().Read(t.Context(), "k"); err != nil {
		t.Error(err)
	}
}

func TestPinRefusesOtherBytes(t *testing.T) {
	spec := specForFile(t, copyOfThisProgram(t))
	spec.Pin = pinOf(t, spec.Path)
	f, err := os.OpenFile(spec.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "x")
	f.Close()
	_, err = plugins.Launch(t.Context(), spec)
	if err == nil || !strings.Contains(err.Error(), spec.Pin) || !strings.Contains(err.Error(), pinOf(t, spec.Path)) {
		t.Errorf("%v does not name both hashes", err)
	}
	spec.Pin = "abc"
	if _, err = plugins.Launch(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "not a sha256") {
		t.Errorf("a pin that is none: %v", err)
	}
}

// script is a plugin's file that is a script; the test's own program does the
// work behind it.
func script(t testing.TB, lines string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "electd-arbiter-script")
	text := fmt.Sprintf("#!/bin/sh\n%s\nexec %q\n", strings.ReplaceAll(lines, "$FILE", path), self)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// rewritingScript is a plugin that puts other lines into its own file while its
// interpreter is still reading it, as an attacker would in that very moment. A
// shell reads on in the file as it goes and would run the new lines, which
// leave a mark.
func rewritingScript(t testing.TB, mark string) string {
	return script(t, fmt.Sprintf(`file='%s'
{ yes '#' | head -c 16384; yes 'touch %s' | head -n 300; } > "$file"
%s`, "$FILE", mark, strings.Repeat("# more than a shell reads at a time\n", 1000)))
}

func TestPinnedScriptIsExecutedAsVerified(t *testing.T) {
	for _, pinned := range []bool{false, true} {
		t.Run(fmt.Sprintf("pinned=%v", pinned), func(t *testing.T) {
			mark := filepath.Join(t.TempDir(), "mark")
			spec := specForFile(t, rewritingScript(t, mark))
			before := pinOf(t, spec.Path)
			if pinned {
				spec.Pin = before
			}
			h, err := plugins.Launch(t.Context(), spec)
			if err == nil {
				defer h.Close()
			}
			_, missing := os.Stat(mark)
			if pinned && (err != nil || missing == nil) {
				t.Errorf("launched: %v; bytes executed that nobody verified: %v", err, missing == nil)
			}
			if !pinned && missing != nil {
				t.Error("without a pin the new lines were not run either, so this test shows nothing")
			}
			if pinOf(t, spec.Path) == before {
				t.Error("the script did not rewrite itself, so this test shows nothing")
			}
		})
	}
}

func TestUntrustedFilesAreRefused(t *testing.T) {
	cases := []struct {
		name  string
		spoil func(t *testing.T, path string) string // returns the path to launch
		want  string
	}{
		{"writable by others", func(t *testing.T, path string) string {
			return chmod(t, path, 0o757)
		}, "may be written by others"},
		{"directory writable by the group", func(t *testing.T, path string) string {
			chmod(t, filepath.Dir(path), 0o775)
			return path
		}, "may be written by others"},
		{"not executable", func(t *testing.T, path string) string {
			return chmod(t, path, 0o644)
		}, "not executable"},
		{"a directory", func(t *testing.T, path string) string {
			return filepath.Dir(path)
		}, "is not a file"},
		{"missing", func(t *testing.T, path string) string {
			return path + ".none"
		}, "no such file"},
		{"a link through a writable directory", func(t *testing.T, path string) string {
			open := filepath.Join(t.TempDir(), "open")
			if err := os.Mkdir(open, 0o700); err != nil {
				t.Fatal(err)
			}
			first, second := filepath.Join(open, "b"), filepath.Join(t.TempDir(), "a")
			if err := os.Symlink(path, first); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(first, second); err != nil {
				t.Fatal(err)
			}
			chmod(t, open, 0o777)
			return second
		}, "may be written by others"},
		{"somebody else's", func(t *testing.T, path string) string {
			if os.Geteuid() != 0 {
				t.Skip("SKIP: only root can give a file away")
			}
			if err := os.Chown(path, 4242, -1); err != nil {
				t.Fatal(err)
			}
			return path
		}, "belongs to user 4242"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := c.spoil(t, copyOfThisProgram(t))
			_, err := plugins.Launch(t.Context(), specForFile(t, path))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
	t.Run("a link through safe directories", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(copyOfThisProgram(t), link); err != nil {
			t.Fatal(err)
		}
		launch(t, specForFile(t, link), nil)
	})
}

func chmod(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}
