package plugins

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Where memory cannot be sealed, a private copy is executed instead.
func TestPrivateCopy(t *testing.T) {
	dir := t.TempDir()
	const script = "#!/bin/sh\necho from $0\n"
	e, err := privateCopy(strings.NewReader(script), "/the/plugin", dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(e.path); err != nil || info.Mode().Perm() != 0o500 || e.name != "/the/plugin" {
		t.Errorf("%v, %v, shown as %s", info, err, e.name)
	}
	out, err := exec.Command(e.path).Output()
	if err != nil || string(out) != "from "+e.path+"\n" {
		t.Errorf("executing it: %q, %v", out, err)
	}
	if !ownEntry.MatchString(strings.TrimPrefix(e.path, dir+"/")) {
		t.Errorf("%s would not be swept after a crash", e.path)
	}
	e.close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left is %v", left)
	}
}
