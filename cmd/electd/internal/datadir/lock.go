package datadir

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// holder says who has a directory, for people. What counts is the lock alone.
type holder struct {
	PID   int       `json:"pid"`
	Node  string    `json:"node"`
	Since time.Time `json:"since"`
}

// takeLock locks the directory for this process. The kernel lets go of the lock
// when the process is gone, however it went.
func takeLock(dir, node string) (*flock.Flock, error) {
	path := filepath.Join(dir, "lock")
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, unusable(path, err)
	}
	if !locked {
		by := readHolder(path)
		return nil, &InUseError{Path: dir, PID: by.PID, Node: by.Node, Since: by.Since}
	}
	text, err := json.Marshal(holder{PID: os.Getpid(), Node: node, Since: time.Now().UTC().Truncate(time.Second)})
	if err == nil {
		// In place: the lock belongs to this very file.
		err = os.WriteFile(path, append(text, '\n'), 0o600)
	}
	if err != nil {
		return nil, errors.Join(unusable(path, err), lock.Close())
	}
	return lock, nil
}

// readHolder returns what the lock's file says; nothing if it says nothing
// sensible, as in the moment between locking and writing.
func readHolder(path string) holder {
	var by holder
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &by) != nil {
		return holder{}
	}
	return by
}
