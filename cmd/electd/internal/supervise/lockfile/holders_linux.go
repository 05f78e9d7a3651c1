package lockfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Holders lists the processes through which the lock at path is held, as far as
// this process may look into them. One that merely has the file open, to ask
// whether it is free, is none.
func Holders(path string) []int {
	var want unix.Stat_t
	if unix.Stat(path, &want) != nil {
		return nil
	}
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var pids []int
	for _, folder := range folders {
		if pid, err := strconv.Atoi(filepath.Base(folder)); err == nil && holds(folder, &want) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// holds says whether a process has an open file that carries a lock on the file
// want.
func holds(process string, want *unix.Stat_t) bool {
	files, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return false
	}
	for _, f := range files {
		var st unix.Stat_t
		if unix.Stat(filepath.Join(process, "fd", f.Name()), &st) != nil || st.Dev != want.Dev || st.Ino != want.Ino {
			continue
		}
		info, err := os.ReadFile(filepath.Join(process, "fdinfo", f.Name()))
		if err == nil && bytes.Contains(info, []byte("FLOCK")) {
			return true
		}
	}
	return false
}
