package plugins_test

import (
	"bytes"
	"fmt"
	"os"
)

// alive says whether a process runs; one that only waits to be reaped, by a
// parent that may not care, does not.
func alive(pid int) bool { return state(pid) != 0 && state(pid) != 'Z' }

// frozen says whether a process was stopped by a signal and stands still.
func frozen(pid int) bool { return state(pid) == 'T' }

func state(pid int) byte {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, found := bytes.Cut(stat, []byte(") "))
	if !found {
		return 0
	}
	return rest[0]
}
