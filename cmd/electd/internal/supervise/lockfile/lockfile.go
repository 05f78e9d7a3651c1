// Package lockfile is the lock that proves a supervised program dead. Its
// watchdog holds it from before the program starts until the last process of
// the program's group is gone; the kernel lets go of it when they all are.
package lockfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Holder says who holds a lock, for people. It is written into the lock's file;
// what counts is the lock alone.
type Holder struct {
	Watchdog int    `json:"watchdog"`          // process id of the watchdog
	Program  int    `json:"program,omitempty"` // process id of the program, once started
	Election string `json:"election"`
	Epoch    uint64 `json:"epoch"`
}

func (h Holder) String() string {
	if h.Watchdog == 0 {
		return "an unknown process"
	}
	if h.Program == 0 {
		return fmt.Sprintf("watchdog process %d of epoch %d", h.Watchdog, h.Epoch)
	}
	return fmt.Sprintf("watchdog process %d with program %d of epoch %d", h.Watchdog, h.Program, h.Epoch)
}

// HeldError is the answer of TryLock when somebody else has the lock.
type HeldError struct {
	Path   string
	Holder Holder
}

func (e *HeldError) Error() string { return fmt.Sprintf("%s is locked by %s", e.Path, e.Holder) }

// Lock is a held lock. It belongs to the open file: whoever inherits the file
// holds it too, and it is free once all of them have closed it or died.
type Lock struct{ file *os.File }

// TryLock takes the lock at path, which is created if missing. It does not
// wait: if somebody has it, the error is a *HeldError.
func TryLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &HeldError{Path: path, Holder: read(f)}
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return &Lock{file: f}, nil
}

// Free says whether nobody holds the lock at path, which proves that the
// program it was held for is dead, with every process it started. A lock that
// was never taken is free. An error means that it is not known.
func Free(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	// A shared lock, so that two who ask at once do not hinder each other.
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return false, nil
	default:
		return false, &os.PathError{Op: "lock", Path: path, Err: err}
	}
}

// describedIn is the least size of the file. Where the description keeps its
// length, it is written over the one before, and no reader finds half of one.
const describedIn = 512

// Describe writes who holds the lock into its file.
func (l *Lock) Describe(h Holder) error {
	body, err := json.Marshal(h)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "%-*s\n", describedIn-1, body)
	if _, err := l.file.WriteAt(text, 0); err != nil {
		return err
	}
	return l.file.Truncate(int64(len(text)))
}

// File is the open file to hand to a process that shall hold the lock too.
func (l *Lock) File() *os.File { return l.file }

// Release closes this process's share of the lock.
func (l *Lock) Release() error { return l.file.Close() }

// read returns what the file says; nothing if it says nothing sensible, as in
// the moment between locking and Describe.
func read(f *os.File) Holder {
	var h Holder
	body, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil || json.Unmarshal(body, &h) != nil {
		return Holder{}
	}
	return h
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
