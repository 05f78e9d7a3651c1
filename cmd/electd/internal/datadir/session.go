package datadir

import "github.com/electd/electd/cmd/electd/internal/supervise/lockfile"

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

func (e *Election) readSessions() error {
	var file sessionsFile
	_, err := restore(e.file("sessions"), "sessions", e.name,
		"remove it: the node then waits for a lease it still holds to run out, instead of taking it back at once", &file)
	e.sessions = file.Sessions
	return err
}

// register records this process's session as the newest.
func (e *Election) register() error {
	list := append(e.sessions, session{ID: e.dir.session, Identity: e.dir.drawn, Boot: bootID()})
	list = list[max(0, len(list)-keptSessions):]
	if err := save(e.file("sessions"), sessionsFile{stamped{format, "sessions", e.name}, list}); err != nil {
		return err
	}
	e.sessions = list
	return nil
}

// Sessions returns this node's sessions in the election, the present one last.
func (e *Election) Sessions() []string {
	var ids []string
	for _, s := range e.sessions {
		ids = append(ids, s.ID)
	}
	return ids
}

// Previous returns the session recorded immediately before the present one, if
// there is one and the locks can speak for it (same directory, machine not
// restarted since).
// Its process is dead, since this one has the directory's lock; dead says
// whether the program it supervised is as well, every process of it. Ask before
// this session starts a program of its own.
func (e *Election) Previous() (id string, dead bool, err error) {
	if len(e.sessions) < 2 {
		return "", false, nil
	}
	before, now := e.sessions[len(e.sessions)-2], e.sessions[len(e.sessions)-1]
	if before.Identity != now.Identity || before.Boot != now.Boot || now.Boot == "" {
		return "", false, nil
	}
	dead, err = lockfile.Free(e.ProgramLock())
	if err != nil {
		return "", false, unusable(e.ProgramLock(), err)
	}
	return before.ID, dead, nil
}
