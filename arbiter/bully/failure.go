package bully

import (
	"errors"
	"fmt"
	"strings"
)

var errClosed = errors.New("closed")

// fail notes that the disk failed. From then on nothing is known of what is there,
// so the voter votes no more. v.mu is held.
func (v *voter) fail(err error) {
	if err == nil || v.failed != nil {
		return
	}
	v.failed = err
	v.log.Error("this voter cannot write its data directory, and votes no more", "data_dir", v.disk.dir, "error", err)
}

// failure says why this voter votes no more; empty while it votes.
func (v *voter) failure() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.failed == nil || v.failed == errClosed {
		return ""
	}
	return strings.ToValidUTF8(fmt.Sprintf("cannot write %s: %v", v.disk.dir, v.failed), "?")
}

// lookAtDisk notices that the files were removed while the voter has nothing to
// write. Who is writing looks for itself.
func (v *voter) lookAtDisk() {
	if !v.writing.TryLock() {
		return
	}
	defer v.writing.Unlock()
	err := v.disk.inPlace()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fail(err)
}
