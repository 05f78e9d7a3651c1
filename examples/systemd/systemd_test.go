// Package systemd_test has systemd itself look at the unit, and electd at the
// configuration.
package systemd_test

import (
	"os"
	"os/exec"
	"path/filepath"
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

func electd() string { return filepath.Join(programs, "electd") }

// unit returns the unit with electd where it was built.
func unit(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("electd.service")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "electd.service")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "/usr/bin/electd", electd())), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// systemd finds nothing to say about the unit.
func TestUnitIsVerified(t *testing.T) {
	analyze := servers.Need(t, "systemd-analyze")
	out, err := exec.Command(analyze, "verify", "--man=no", "--recursive-errors=no", unit(t)).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "" {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// The unit is not less hardened than it was: systemd's own measure of exposure,
// from 0 (none) to 100.
func TestUnitIsHardened(t *testing.T) {
	analyze := servers.Need(t, "systemd-analyze")
	out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=50", unit(t)).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "Overall exposure level") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// What the program's watchdog process and the README rely on is in the unit.
func TestUnitGivesWhatIsPromised(t *testing.T) {
	text, err := os.ReadFile("electd.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"KillMode=mixed", "Delegate=yes", "AmbientCapabilities=CAP_SYS_NICE CAP_IPC_LOCK CAP_SYS_RESOURCE",
		"Type=notify", "WatchdogSec=", "RestartPreventExitStatus=3 4",
	} {
		if !strings.Contains(string(text), "\n"+want) {
			t.Errorf("the unit lacks %s", want)
		}
	}
}

func TestConfigurationIsValid(t *testing.T) {
	if out, err := exec.Command(electd(), "validate", "--elsewhere", "--config", "electd.hcl").CombinedOutput(); err != nil {
		t.Errorf("electd validate: %v\n%s", err, out)
	}
}
