package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"

	"github.com/electd/electd/cmd/electd/internal/config"
)

// Exit statuses of a shell that cannot run a command.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// missing says what electd exec needs and was not given.
func missing(f config.Flags) error {
	switch {
	case f.Election == "":
		return status{exitUsage, errors.New("electd exec: name the election with --election")}
	case f.Arbiter == "":
		return status{exitUsage, errors.New("electd exec: say with --arbiter what decides, as in --arbiter file --set dir=/var/lib/jobs")}
	case len(f.Command) == 0:
		return status{exitUsage, errors.New("electd exec: give the command to run after --, as in -- ./nightly.sh")}
	}
	return nil
}

// runnable says why a command could not be run, before anybody waits for it.
func runnable(command string) error {
	_, err := exec.LookPath(command)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return status{exitNotFound, fmt.Errorf("electd exec: there is no command %q", command)}
	}
	return status{exitNotExecutable, fmt.Errorf("electd exec: %w", err)}
}
