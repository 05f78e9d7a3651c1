// Package debian_test builds the package and looks at what is in it.
package debian_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/electd/electd/internal/build"
	"github.com/electd/electd/internal/servers"
)

// programs is the folder with electd.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		programs = folder
		return m.Run()
	}, build.Electd))
}

// command runs a program in the repository's root and returns what it printed.
func command(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = filepath.Join("..", "..")
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestPackage(t *testing.T) {
	nfpm, deb := servers.Need(t, "nfpm"), servers.Need(t, "dpkg-deb")
	target := filepath.Join(t.TempDir(), "electd.deb")
	command(t, []string{"ELECTD=" + filepath.Join(programs, "electd"), "VERSION=1.2.3", "ARCH=" + runtime.GOARCH},
		nfpm, "package", "-f", "examples/debian/nfpm.yaml", "-p", "deb", "-t", target)

	contents := command(t, nil, deb, "--contents", target)
	for path, mode := range map[string]string{
		"./usr/bin/electd":                        "-rwxr-xr-x",
		"./usr/lib/systemd/system/electd.service": "-rw-r--r--",
		"./usr/lib/sysusers.d/electd.conf":        "-rw-r--r--",
		"./usr/share/doc/electd/electd.hcl":       "-rw-r--r--",
		"./usr/share/doc/electd/operations.md":    "-rw-r--r--",
		"./usr/share/doc/electd/copyright":        "-rw-r--r--",
		"./etc/electd/":                           "drwxr-x---",
		"./usr/lib/electd/plugins/":               "drwxr-xr-x",
	} {
		if !listed(contents, path, mode) {
			t.Errorf("the package has no %s %s:\n%s", mode, path, contents)
		}
	}
	for _, field := range [][2]string{{"Package", "electd"}, {"Version", "1.2.3"}, {"Architecture", runtime.GOARCH}} {
		if got := strings.TrimSpace(command(t, nil, deb, "--field", target, field[0])); got != field[1] {
			t.Errorf("%s is %q, want %q", field[0], got, field[1])
		}
	}
	unpacked(t, deb, target)
}

// listed reports whether a package's list has a path with its mode.
func listed(contents, path, mode string) bool {
	for line := range strings.Lines(contents) {
		fields := strings.Fields(line)
		if fields[len(fields)-1] == path && fields[0] == mode {
			return true
		}
	}
	return false
}

// unpacked: the program in it runs, its configuration is valid, its scripts are
// scripts, and the unit starts the program where it is.
func unpacked(t *testing.T, deb, target string) {
	t.Helper()
	root := t.TempDir()
	command(t, nil, deb, "--raw-extract", target, root)
	program := filepath.Join(root, "usr/bin/electd")
	command(t, nil, program, "validate", "--elsewhere", "--config", filepath.Join(root, "usr/share/doc/electd/electd.hcl"))
	for _, script := range []string{"postinst", "prerm"} {
		command(t, nil, "sh", "-n", filepath.Join(root, "DEBIAN", script))
	}
	service, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/electd.service"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("ExecStart=/%s run ", "usr/bin/electd"); !strings.Contains(string(service), want) {
		t.Errorf("the unit lacks %q", want)
	}
}
