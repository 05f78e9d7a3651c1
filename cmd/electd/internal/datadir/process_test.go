package datadir

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
)

// The test binary started with this variable is one of the processes below.
const childEnv = "DATADIR_TEST_CHILD"

func TestMain(m *testing.M) {
	var err error
	dir := os.Getenv("DATADIR_TEST_DIR")
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "hold":
		err = childHold(dir)
	case "program":
		err = childProgram(dir)
	case "open":
		err = openOrders(dir)
	case "live":
		err = childLive(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childHold has the directory until it is killed.
func childHold(dir string) error {
	d, err := Open(dir, "db-a", Random)
	if err != nil {
		return err
	}
	if _, err := d.Election("orders"); err != nil {
		return err
	}
	fmt.Println(d.Session())
	time.Sleep(time.Hour)
	return nil
}

// childProgram has an election's program lock until it is killed, as a
// watchdog has.
func childProgram(path string) error {
	if _, err := lockfile.TryLock(path); err != nil {
		return err
	}
	fmt.Println("locked")
	time.Sleep(time.Hour)
	return nil
}

// child starts this binary as one of the processes and returns the first line
// it prints. It is killed when the test ends.
func child(t *testing.T, what, dir string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, "DATADIR_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return cmd, strings.TrimSpace(line)
}

func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

func TestDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	holder, session := child(t, "hold", dir)
	_, err := Open(dir, "db-a", Random)
	var inUse *InUseError
	if !errors.As(err, &inUse) || inUse.PID != holder.Process.Pid || inUse.Node != "db-a" || inUse.Path != dir {
		t.Fatalf("got %v, want process %d named", err, holder.Process.Pid)
	}
	kill(holder)
	e := election(t, open(t, dir), "orders")
	if id, dead, err := e.Previous(); id != session || !dead || err != nil {
		t.Errorf("after a kill, previous is %q %v %v, want %q, dead", id, dead, err, session)
	}
}

// The daemon's death is not its program's: only the program's own lock tells.
func TestPreviousLivesWhileItsProgramDoes(t *testing.T) {
	d := open(t, t.TempDir())
	e := election(t, d, "orders")
	program, _ := child(t, "program", e.ProgramLock())
	first := d.Session()
	e = election(t, again(t, d), "orders")
	if id, dead, err := e.Previous(); id != first || dead || err != nil {
		t.Errorf("with the program alive: %q %v %v", id, dead, err)
	}
	kill(program)
	if id, dead, err := e.Previous(); id != first || !dead || err != nil {
		t.Errorf("with the program dead: %q %v %v", id, dead, err)
	}
}

func TestRefusals(t *testing.T) {
	full := t.TempDir()
	file := filepath.Join(full, "file")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(full, 0o755)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ path, want string }{
		"a file":          {file, "is not a directory"},
		"below a file":    {filepath.Join(file, "x"), "is not in a directory"},
		"somebody's":      {full, "holds other things (file)"},
		"endless symlink": {loop(t), "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(test.path, "db-a", Random)
			var unusable *UnusableError
			if !errors.As(err, &unusable) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if info, err := os.Stat(full); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("somebody else's directory was closed: %v %v", info.Mode(), err)
	}
}

func loop(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(path, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// As a user without rights to it, a directory is refused by name.
func TestNotAccessible(t *testing.T) {
	dir, err := os.MkdirTemp("", "datadir")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	closed := filepath.Join(dir, "closed")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(closed, 0o500)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=open", "DATADIR_TEST_DIR="+filepath.Join(closed, "db-a"))
	if os.Getuid() == 0 {
		binary := filepath.Join(dir, "child") // where nobody may run it
		text, err := os.ReadFile(os.Args[0])
		if err := errors.Join(err, os.WriteFile(binary, text, 0o755)); err != nil {
			t.Fatal(err)
		}
		cmd.Path, cmd.Dir = binary, dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is not accessible to this user") {
		t.Errorf("got %v: %s", err, out)
	}
}
