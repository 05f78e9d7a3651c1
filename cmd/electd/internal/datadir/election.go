package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/electd/electd/core"
)

// Election is what the directory keeps for one election.
type Election struct {
	dir  *Dir
	name string
	path string

	mu       sync.Mutex
	floor    core.Epoch
	hasFloor bool
	pause    time.Time
}

// Election returns what is kept for the election of that name.
func (d *Dir) Election(name string) (*Election, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.elections[name]; ok {
		return e, nil
	}
	if name == "." || !filepath.IsLocal(name) || filepath.Base(name) != name {
		return nil, fmt.Errorf("election name %q cannot be the name of a folder", name)
	}
	e := &Election{dir: d, name: name, path: filepath.Join(d.path, "elections", name)}
	if err := e.open(); err != nil {
		return nil, err
	}
	d.elections[name] = e
	return e, nil
}

func (e *Election) open() error {
	if err := makeDir(e.path); err != nil {
		return err
	}
	if err := sweep(e.path); err != nil {
		return err
	}
	if err := e.readFloor(); err != nil {
		return err
	}
	return e.readPause()
}

// ProgramLock returns the path of the lock that a supervised program's watchdog
// holds until the last process of the program is gone.
func (e *Election) ProgramLock() string { return e.file("program.lock") }

func (e *Election) file(name string) string { return filepath.Join(e.path, name) }

type floorFile struct {
	stamped
	Floor core.Epoch `json:"floor"`
}

func (e *Election) readFloor() error {
	var file floorFile
	found, err := restore(e.file("floor"), "floor", e.name,
		"restore it from a backup, or remove it: the node then promises nothing until it has read the lease record again", &file)
	e.floor, e.hasFloor = file.Floor, found
	return err
}

// Floor returns the highest epoch this node has observed; ok is false if it has
// none, as on a new or lost disk.
func (e *Election) Floor() (floor core.Epoch, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.floor, e.hasFloor
}

// SaveFloor raises the floor to epoch. It is on disk when this returns nil. A
// lower epoch than the present floor changes nothing.
func (e *Election) SaveFloor(epoch core.Epoch) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.hasFloor && epoch <= e.floor {
		return nil
	}
	if err := save(e.file("floor"), floorFile{stamped{format, "floor", e.name}, epoch}); err != nil {
		return err
	}
	e.floor, e.hasFloor = epoch, true
	return nil
}

type pauseFile struct {
	stamped
	Until time.Time `json:"until"`
}

func (e *Election) readPause() error {
	var file pauseFile
	_, err := restore(e.file("pause"), "pause", e.name, "remove it, and pause the node again if it should be", &file)
	e.pause = file.Until
	return err
}

// Paused tells whether the node is paused at the instant now of the wall clock,
// and until when.
func (e *Election) Paused(now time.Time) (until time.Time, paused bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pause, now.Before(e.pause)
}

// Pause keeps the node from standing until the given instant of the wall clock,
// across restarts. A later call replaces an earlier one.
func (e *Election) Pause(until time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := save(e.file("pause"), pauseFile{stamped{format, "pause", e.name}, until.UTC()}); err != nil {
		return err
	}
	e.pause = until
	return nil
}

// Resume ends a pause. Without one it does nothing.
func (e *Election) Resume() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	path := e.file("pause")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable(path, err)
	}
	if err := syncDir(e.path); err != nil {
		return err
	}
	e.pause = time.Time{}
	return nil
}
