package agent

import (
	"errors"
	"os"
	"path/filepath"
)

// permitFile stands in the data directory while programs beside electd may act
// on its word. After a crash it tells the next session that the lease of this
// one must be waited out, not taken back.
func (a *Agent) permitFile() string { return filepath.Join(a.dir.Path(), "permits") }

// notePermits puts down that a permit is about to be given.
func (a *Agent) notePermits() error {
	file, err := os.OpenFile(a.permitFile(), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	dir, err := os.Open(a.dir.Path())
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(file.Sync(), file.Close(), dir.Sync(), dir.Close())
}

// takePermits reads whether the session before gave permits, and forgets it:
// only that session's lease could be taken back too early.
func (a *Agent) takePermits() error {
	err := os.Remove(a.permitFile())
	a.permitsBefore = err == nil
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
