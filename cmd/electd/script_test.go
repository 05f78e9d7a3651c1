package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/electd/electd/internal/servers"
)

// TestScript runs testdata/script: the commands as people call them. Beside
// testscript's own commands there are
//
//	exits STATUS PROGRAM [ARG ...]    run a program that must end with that status
//	until PATTERN PROGRAM [ARG ...]   run a program again and again until its output matches
//	within DURATION PATTERN FILE      wait until a file's text matches
//	signal NAME PATTERN               send a signal to the background commands that match
//	fill FROM TO                      copy a file, environment variables put in
//	replace OLD NEW FILE              replace the first occurrence in a file
func TestScript(t *testing.T) {
	root, err := os.MkdirTemp("", "s-") // short enough for Unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", WorkdirRoot: root, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", built+string(filepath.ListSeparator)+os.Getenv("PATH"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			for _, name := range []string{"PEER_A", "PEER_B", "PORT", "API_A", "API_B"} {
				env.Setenv(name, fmt.Sprintf("127.0.0.1:%d", servers.FreePort(t)))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "until": until, "within": within, "signal": signalTo, "fill": fill, "replace": replace,
		},
	})
}

// patience bounds every wait of a script.
const patience = 30 * time.Second

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func until(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[0])
	var out []byte
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		program := args[1]
		if program == "electd" {
			program = electd()
		}
		command := exec.Command(program, args[2:]...)
		command.Dir = ts.MkAbs(".")
		for _, name := range []string{"PATH", "HOME", "XDG_STATE_HOME", "TMPDIR"} {
			command.Env = append(command.Env, name+"="+ts.Getenv(name))
		}
		if out, _ = command.CombinedOutput(); pattern.Match(out) { // it may fail until it does not
			return
		}
	}
	ts.Fatalf("its output never matched %s, but is at last:\n%s", args[0], out)
}

func within(ts *testscript.TestScript, _ bool, args []string) {
	limit, err := time.ParseDuration(args[0])
	ts.Check(err)
	pattern := regexp.MustCompile("(?m)" + args[1])
	for deadline := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(ts.MkAbs(args[2])) // it may come yet
		if pattern.Match(text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s did not match %s within %s, but is:\n%s", args[2], args[1], limit, text)
		}
	}
}

var signals = map[string]syscall.Signal{
	"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "USR1": syscall.SIGUSR1,
	"KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}

func signalTo(ts *testscript.TestScript, _ bool, args []string) {
	number, ok := signals[args[0]]
	if !ok {
		ts.Fatalf("there is no signal %s here", args[0])
	}
	pattern := regexp.MustCompile(args[1])
	sent := 0
	for _, c := range ts.BackgroundCmds() {
		if pattern.MatchString(strings.Join(c.Args, " ")) {
			ts.Check(c.Process.Signal(number))
			sent++
		}
	}
	if sent == 0 {
		ts.Fatalf("no background command matches %s", args[1])
	}
}

func fill(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s has no %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o600))
}
