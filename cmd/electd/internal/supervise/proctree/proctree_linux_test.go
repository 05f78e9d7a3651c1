package proctree

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tree is a process with a child, and a grandchild in a session of its own.
func tree(t *testing.T) (root *exec.Cmd, child, grandchild int) {
	t.Helper()
	root = exec.Command("sh", "-c", `sh -c 'setsid sleep 60 & echo $$ $!; wait' & wait`)
	out, err := root.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := root.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Wait() })
	if _, err := fmt.Fscan(bufio.NewReader(out), &child, &grandchild); err != nil {
		t.Fatal(err)
	}
	return root, child, grandchild
}

func TestHoldFindsAndKillsDescendants(t *testing.T) {
	root, child, grandchild := tree(t)
	h := Hold(root.Process.Pid)
	if len(h.files) != 2 {
		t.Errorf("%d processes held, want 2", len(h.files))
	}
	h.Kill()
	h.Release()
	for _, pid := range []int{child, grandchild} {
		end := time.Now().Add(10 * time.Second)
		for unix.Kill(pid, 0) == nil && !zombie(pid) {
			if time.Now().After(end) {
				t.Fatalf("process %d is alive", pid)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

func TestBothWaysFindTheSameChildren(t *testing.T) {
	root, child, grandchild := tree(t)
	defer Kill(root.Process.Pid, child, grandchild)
	for _, c := range []struct{ parent, want int }{{root.Process.Pid, child}, {child, grandchild}} {
		if got := Children(c.parent); !slices.Equal(got, []int{c.want}) {
			t.Errorf("children of %d: %v, want %d", c.parent, got, c.want)
		}
		if got := childrenByParent(c.parent); !slices.Equal(got, []int{c.want}) {
			t.Errorf("children by parent of %d: %v, want %d", c.parent, got, c.want)
		}
	}
	if got := Children(grandchild); len(got) != 0 {
		t.Errorf("children of a process without any: %v", got)
	}
}

func Kill(pids ...int) {
	for _, pid := range pids {
		unix.Kill(pid, unix.SIGKILL)
	}
}

func zombie(pid int) bool {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || slices.Contains([]byte{'Z', 'X'}, body[slices.Index(body, ')')+2])
}
