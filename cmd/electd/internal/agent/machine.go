package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/electd/electd/cmd/electd/internal/api"
	"github.com/electd/electd/cmd/electd/internal/config"
	"github.com/electd/electd/cmd/electd/internal/datadir"
	"github.com/electd/electd/transport/wire"
)

// CheckMachine looks for what the configuration names on this machine: what the
// daemon would not start with is an error, what it could not lead with a warning.
// It makes nothing and opens no port. What whoever asks may not look at is told as
// a warning: the daemon may be another user's.
func CheckMachine(c *config.Config) config.Diagnostics {
	found := unusableFor(c, "node.data_dir", "node.data_dir", datadir.Check(c.Node.DataDir, c.Node.ID))
	if t := c.Transport; t != nil && t.TLS != nil {
		files := wire.TLS{CAFile: t.TLS.CAFile, CertFile: t.TLS.CertFile, KeyFile: t.TLS.KeyFile}
		found = found.Append(unusableFor(c, "transport", "transport.tls", files.Check(c.Node.ID)))
	}
	if t := c.API.TLS; t != nil {
		found = found.Append(unusableFor(c, "api", "api.tls", api.CheckTLS(t.CertFile, t.KeyFile, t.CAFile)))
	}
	found = found.Append(unusableFor(c, "api", "api.token_file", api.CheckToken(c.API.TokenFile)))
	for _, e := range c.Elections {
		found = found.Append(checkPrograms(c, e))
	}
	return found
}

// unusableFor tells of an error that arose from a block's values. If its cause is
// that this user may not look, that is said of what is at path.
func unusableFor(c *config.Config, block, path string, err error) config.Diagnostics {
	switch {
	case err == nil:
		return config.Diagnostics{}
	case errors.Is(err, fs.ErrPermission):
		return c.Warn(path, "Not for this user to look at", fmt.Sprintf("%v. Run electd validate as the user that electd runs as.", err))
	}
	return c.Locate(block, err)
}

// checkPrograms warns of commands that could not be run now. They may yet come:
// with a disk that the promote hook mounts, or a $PATH that is only the daemon's.
func checkPrograms(c *config.Config, e config.Election) config.Diagnostics {
	election := config.ElectionPath(e.Name)
	var found config.Diagnostics
	look := func(path string, command []string) {
		if len(command) == 0 {
			return
		}
		if problem, todo := notRunnable(command[0]); problem != "" {
			found = found.Append(c.Warn(path, problem, todo))
		}
	}
	if e.Run != nil {
		look(election+".run.command", e.Run.Command)
		if info, err := os.Stat(e.Run.Dir); err != nil || !info.IsDir() {
			found = found.Append(c.Warn(election+".run.dir", fmt.Sprintf("There is no folder %s", e.Run.Dir), "The program could not be started in it. Make it, or correct dir."))
		}
	}
	for _, hook := range e.Hooks {
		look(fmt.Sprintf("%s.hook[%q].command", election, hook.Event), hook.Command)
	}
	if e.Health != nil {
		look(election+".health.command", e.Health.Command)
	}
	return found
}

// notRunnable says why a program could not be run, and what to do; nothing if it
// could.
func notRunnable(program string) (problem, todo string) {
	_, err := exec.LookPath(program)
	info, missing := os.Stat(program)
	switch {
	case err == nil:
		return "", ""
	case filepath.Base(program) == program:
		return fmt.Sprintf("There is no program %s in $PATH", program), "Install it, or write its path; the daemon's $PATH may be another one than yours."
	case errors.Is(missing, fs.ErrNotExist):
		return fmt.Sprintf("There is no program %s", program), "Install it, or correct the path, unless a promote hook brings it."
	case missing == nil && info.IsDir():
		return program + " is a folder", "Name the program inside it."
	case missing == nil && info.Mode().Perm()&0o111 == 0:
		return program + " is not executable", "Make it so: chmod +x " + program
	}
	return program + " cannot be run", fmt.Sprintf("The system says: %v.", err)
}
