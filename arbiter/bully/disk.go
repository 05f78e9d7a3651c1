package bully

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/electd/electd/arbiter/bully/register"
)

// disk is a voter's data directory:
//
//	lock          held by the process that votes from it
//	standing      the register.Standing
//	keys/HASH     one register.Slot each
//
// Every file is replaced as a whole: written beside, fsynced, renamed, the
// directory fsynced. Its first line is the SHA-256 of the rest.
type disk struct {
	dir  string
	lock *flock.Flock
}

type standingFile struct {
	Electorate string
	Voters     []string
	Standing   register.Standing
}

type slotFile struct {
	Key                string
	Promised, Accepted register.Ballot
	Version            string
	Record             []byte
}

// openDisk locks the directory. A predecessor that was just killed may hold the
// lock a moment longer.
func openDisk(ctx context.Context, dir string) (*disk, error) {
	if err := os.MkdirAll(filepath.Join(dir, "keys"), 0o700); err != nil {
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
		return nil, wrong("data_dir", dir+" is in use by another process", "two voters never share a directory; stop the other one", err)
	}
	return d, nil
}

func (d *disk) close() error { return d.lock.Close() }

// load returns what the directory holds; found is false if it was never used.
func (d *disk) load() (standing standingFile, slots map[string]register.Slot, found bool, err error) {
	found, err = d.read("standing", &standing)
	if err != nil || !found {
		return standing, nil, false, err
	}
	slots = map[string]register.Slot{}
	entries, err := os.ReadDir(filepath.Join(d.dir, "keys"))
	if err != nil {
		return standing, nil, true, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".new") {
			continue // a write that a crash cut short: it was never answered
		}
		var s slotFile
		if _, err := d.read(filepath.Join("keys", e.Name()), &s); err != nil {
			return standing, nil, true, err
		}
		slots[s.Key] = register.Slot{
			Promised: s.Promised, Accepted: s.Accepted,
			Value: register.Value{Version: s.Version, Record: string(s.Record)},
		}
	}
	return standing, slots, true, nil
}

func (d *disk) saveStanding(e register.Electorate, s register.Standing) error {
	file := standingFile{Electorate: e.Hash(), Standing: s}
	for i := range e.Size() {
		file.Voters = append(file.Voters, e.Voter(i))
	}
	return d.write("standing", file)
}

func (d *disk) saveSlot(key string, s register.Slot) error {
	sum := sha256.Sum256([]byte(key))
	return d.write(filepath.Join("keys", hex.EncodeToString(sum[:12])), slotFile{
		Key: key, Promised: s.Promised, Accepted: s.Accepted, Version: s.Value.Version, Record: []byte(s.Value.Record),
	})
}

func (d *disk) read(name string, into any) (found bool, err error) {
	path := filepath.Join(d.dir, name)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sum, body, _ := strings.Cut(string(content), "\n")
	if sum != checksum([]byte(body)) || json.Unmarshal([]byte(body), into) != nil {
		return false, wrong("data_dir", fmt.Sprintf("%s is damaged: this voter's promises are lost", path),
			"stop this node, remove the whole directory and start it again: the other voters then admit it anew", nil)
	}
	return true, nil
}

func (d *disk) write(name string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, name)
	if err := writeSynced(path+".new", []byte(checksum(body)+"\n"+string(body))); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

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
