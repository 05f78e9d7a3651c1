package pki

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/electd/electd/core"
)

// A pipe in the place of a file is refused, not waited for.
func TestFilesAreRegular(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "is no regular file", t.TempDir(): "is no regular file", pipe + ".gone": "cannot be read"} {
		_, err := ReadFile("tls.ca_file", path)
		var wrong *core.AttributeError
		if !errors.As(err, &wrong) || wrong.Attribute != "tls.ca_file" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error of tls.ca_file with %q", path, err, want)
		}
	}
}
