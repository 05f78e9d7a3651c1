// Package proctree finds and kills the descendants of a process.
package proctree

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Held are processes that are held by file, so that a process id which is used
// again hurts nobody.
type Held struct{ files []int }

// Hold holds all present descendants of root. One whose parent is gone is no
// descendant, unless its new parent is one.
func Hold(root int) Held {
	var h Held
	h.add(root)
	return h
}

func (h *Held) add(parent int) {
	for _, child := range Children(parent) {
		fd, err := unix.PidfdOpen(child, 0)
		if err != nil {
			continue // gone
		}
		// Only now is it certain that the file is the child's.
		if now, ok := parentOf(child); !ok || now != parent {
			_ = unix.Close(fd)
			continue
		}
		h.files = append(h.files, fd)
		h.add(child)
	}
}

// Kill sends SIGKILL to all that are held.
func (h *Held) Kill() {
	for _, fd := range h.files {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

// Release lets go of them.
func (h *Held) Release() {
	for _, fd := range h.files {
		_ = unix.Close(fd)
	}
	h.files = nil
}

// Children lists the processes whose parent is pid, those that have ended but
// were not waited for included.
func Children(pid int) []int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	var all []int
	for _, t := range threads {
		body, err := os.ReadFile(tasks + "/" + t.Name() + "/children")
		if os.IsNotExist(err) {
			if _, err := os.Stat(tasks + "/" + t.Name()); err == nil {
				return childrenByParent(pid) // a kernel without this list
			}
		}
		for _, word := range bytes.Fields(body) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// childrenByParent finds the same by asking every process for its parent.
func childrenByParent(parent int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := parentOf(pid); ok && p == parent {
				all = append(all, pid)
			}
		}
	}
	return all
}

func parentOf(pid int) (int, bool) {
	body, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// pid (name) state parent …; the name may hold anything, also ')'.
	fields := bytes.Fields(body[bytes.LastIndexByte(body, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
