package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxSlots bounds the search for a free slot.
const maxSlots = 64

// StateDir returns the user's folder for what programs remember:
// $XDG_STATE_HOME/electd, or .local/state/electd in the home folder.
func StateDir() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "electd"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder to remember this node in: %w; set HOME or name a data directory with --data-dir", err)
	}
	return filepath.Join(home, ".local", "state", "electd"), nil
}

// OpenSlot opens the first data directory under state that no process has: host,
// then host-2, host-3 and so on. The slot's name is the node's id, so that a
// node that is started again, alone or beside others, is the same node again.
func OpenSlot(state, host string) (*Dir, error) {
	for n := 1; n <= maxSlots; n++ {
		node := host
		if n > 1 {
			node = fmt.Sprintf("%s-%d", host, n)
		}
		d, err := Open(filepath.Join(state, node), node, Random)
		var inUse *InUseError
		if errors.As(err, &inUse) {
			continue
		}
		return d, err
	}
	return nil, fmt.Errorf("all %d data directories in %s are in use: stop some, or name one with --data-dir", maxSlots, state)
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// HostName returns the machine's name, changed where needed into one that a node
// can have, with room for a slot's number.
func HostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "host"
	}
	return nodeName(name)
}

func nodeName(name string) string {
	name = notInName.ReplaceAllString(name, "-")
	name = name[:min(len(name), 60)]
	if name = strings.Trim(name, "._-"); name == "" {
		return "host"
	}
	return name
}
