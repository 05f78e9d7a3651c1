package watchdog

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// cgroup is the control group (version 2) that the program runs in. A nil
// cgroup is where none can be made; its methods do nothing.
type cgroup struct {
	path   string
	dir    int // the folder, opened
	killer int // its cgroup.kill, opened: no path is walked when it matters
}

// newCgroup makes a control group below our own, nil where it may not or the
// kernel cannot kill one (before 5.14). One election has one, so whoever is in
// it when we hold the election's lock is left over from a watchdog that was
// killed.
func newCgroup(spec Spec) *cgroup {
	if spec.NoCgroup {
		return nil
	}
	parent := ownCgroup()
	if parent == "" {
		return nil
	}
	path := filepath.Join(parent, cgroupName(spec))
	if err := os.Mkdir(path, 0o755); err != nil && !os.IsExist(err) {
		return nil
	}
	c := &cgroup{path: path, dir: -1, killer: -1}
	var err error
	if c.killer, err = unix.Open(filepath.Join(path, "cgroup.kill"), unix.O_WRONLY|unix.O_CLOEXEC, 0); err != nil {
		c.remove()
		return nil
	}
	if c.dir, err = unix.Open(path, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		c.remove()
		return nil
	}
	return c
}

// cgroupName is the same for every run of one election from one data directory.
func cgroupName(spec Spec) string {
	h := fnv.New64a()
	fmt.Fprint(h, spec.Lock)
	return fmt.Sprintf("electd-%s-%016x", strings.ReplaceAll(spec.Election, "/", "_"), h.Sum64())
}

// ownCgroup is the folder of the version 2 group that we are in, empty if there
// is no such hierarchy.
func ownCgroup() string {
	body, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(body)) {
		if inside, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			if mount := cgroupMount(); mount != "" {
				return filepath.Join(mount, inside)
			}
		}
	}
	return ""
}

// cgroupMount is where the version 2 hierarchy is mounted.
func cgroupMount() string {
	body, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(body)) {
		// id parent device root mountpoint options … - type source options
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if ok && len(fields) > 4 && strings.HasPrefix(after, "cgroup2 ") {
			return fields[4]
		}
	}
	return ""
}

// clear kills whoever an earlier run left and returns errLeftovers until they
// are gone.
func (c *cgroup) clear() error {
	if c == nil {
		return nil
	}
	body, err := os.ReadFile(filepath.Join(c.path, "cgroup.events"))
	if err != nil {
		return err
	}
	if bytes.Contains(body, []byte("populated 0")) {
		return nil
	}
	c.kill()
	return errLeftovers
}

// kill kills every process in the group, those being born included.
func (c *cgroup) kill() {
	if c != nil {
		_, _ = unix.Write(c.killer, []byte("1"))
	}
}

// remove removes the empty group.
func (c *cgroup) remove() {
	if c == nil {
		return
	}
	for _, fd := range []int{c.dir, c.killer} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	removeEmpty(c.path)
}

func (c *cgroup) folder() string {
	if c == nil {
		return ""
	}
	return c.path
}
