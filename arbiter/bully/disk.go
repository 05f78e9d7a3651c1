package bully

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/electd/electd/arbiter/bully/register"
)

// disk is a voter's data directory:
//
//	lock      held by the process that votes from it
//	standing  the register.Standing; replaced as a whole, its first line is the SHA-256 of the rest
//	slots     a slotLog
type disk struct {
	dir  string
	lock *flock.Flock
	log  *slotLog // nil before load
}

type standingFile struct {
	Electorate string
	Voters     []string
	Standing   register.Standing
}

// InUse is what the error says of a data directory that another process votes from.
const InUse = "is in use by another process"

// openDisk locks the directory. A predecessor that was just killed may hold the
// lock a moment longer.
func openDisk(ctx context.Context, dir string) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, wrong("data_dir", "cannot be made", "", err)
	}
	d := &disk{dir: dir, lock: flock.New(filepath.Join(dir, "lock"))}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	locked, err := d.lock.TryLockContext(ctx, 20*time.Millisecond)
	if !locked {
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
		return nil, wrong("data_dir", dir+" "+InUse, "two voters never share a directory; stop the other one", err)
	}
	return d, nil
}

func (d *disk) close() error {
	var err error
	if d.log != nil {
		err = d.log.close()
	}
	return errors.Join(err, d.lock.Close())
}

// load returns what the directory holds; found is false if it was never used.
func (d *disk) load() (standing standingFile, slots map[string]register.Slot, found bool, err error) {
	standing, found, err = d.loadStanding()
	if err != nil {
		return standing, nil, found, err
	}
	// A blank voter's slots may be missing, or stem from an admission that was cut short.
	path, open := filepath.Join(d.dir, "slots"), openSlotLog
	if !found && leftover(path) {
		return standing, nil, found, lost(filepath.Join(d.dir, "standing"), "is missing")
	}
	if standing.Standing.Generation == 0 {
		open = newSlotLog
	}
	if d.log, err = open(path); err != nil {
		return standing, nil, found, err
	}
	return standing, maps.Clone(d.log.live), found, nil
}

// leftover reports whether there is a log that some voter has used. A first start
// that a crash cut short leaves one without any slot.
func leftover(path string) bool {
	content, err := os.ReadFile(path)
	l := slotLog{path: path, live: map[string]register.Slot{}}
	return err == nil && (l.read(content) != nil || len(l.live) > 0)
}

func (d *disk) loadStanding() (s standingFile, found bool, err error) {
	path := filepath.Join(d.dir, "standing")
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	sum, body, _ := strings.Cut(string(content), "\n")
	if sum != checksum([]byte(body)) || json.Unmarshal([]byte(body), &s) != nil {
		return s, false, lost(path, "is damaged")
	}
	return s, true, nil
}

func (d *disk) saveStanding(e register.Electorate, s register.Standing) error {
	file := standingFile{Electorate: e.Hash(), Standing: s}
	for i := range e.Size() {
		file.Voters = append(file.Voters, e.Voter(i))
	}
	body, err := json.Marshal(file)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(d.dir, "standing"), []byte(checksum(body)+"\n"+string(body)))
}

// inPlace returns an error if the files have been removed or replaced.
func (d *disk) inPlace() error {
	if _, err := os.Stat(filepath.Join(d.dir, "standing")); err != nil {
		return err
	}
	return d.log.inPlace()
}

func (d *disk) saveSlots(slots map[string]register.Slot) error { return d.log.save(slots) }

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
