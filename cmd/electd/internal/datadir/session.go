package datadir

import (
	"path/filepath"

	"github.com/electd/electd/cmd/electd/internal/supervise/lockfile"
)

// keptSessions is how many sessions are kept. Only the last but one matters to
// the protocol; the others are for people.
const keptSessions = 8

// session is one process's session, with the circumstances under which a free
// lock proves that process's program dead. A lock lives in one kernel, from boot
// to shutdown: it does not travel with a disk that is copied, or moved to another
// machine while the first one runs on.
type session struct {
	ID       string `json:"id"`
	Identity string `json:"identity"` // drawn for the directory, whatever electors know it by
	Boot     string `json:"boot"`
}

type sessionsFile struct {
	stamped
	Sessions []session `json:"sessions"`
}

// register reads the sessions so far and records this process's as the newest.
func (d *Dir) register() error {
	path := filepath.Join(d.path, "sessions")
	var file sessionsFile
	_, err := restore(path, "sessions", "",
		"remove it: the node then waits for a lease it still holds to run out, instead of taking it back at once", &file)
	if err != nil {
		return err
	}
	list := append(file.Sessions, session{ID: d.session, Identity: d.drawn, Boot: bootID()})
	d.sessions = list[max(0, len(list)-keptSessions):]
	return save(path, sessionsFile{stamped{format, "sessions", ""}, d.sessions})
}

// Previous returns the session recorded immediately before the present one, if
// there is one and the locks can speak for it (same directory, machine not
// restarted since). Its process is dead, since this one has the directory's
// lock; dead says whether the program it supervised for this election is as
// well, every process of it. Ask before this session starts a program of its own.
func (e *Election) Previous() (id string, dead bool, err error) {
	list := e.dir.sessions
	if len(list) < 2 {
		return "", false, nil
	}
	before, now := list[len(list)-2], list[len(list)-1]
	if before.Identity != now.Identity || before.Boot != now.Boot || now.Boot == "" {
		return "", false, nil
	}
	dead, err = lockfile.Free(e.ProgramLock())
	if err != nil {
		return "", false, unusable(e.ProgramLock(), err)
	}
	return before.ID, dead, nil
}
