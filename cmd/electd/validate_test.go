package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// whole is the configuration of a node that names something on its machine in
// every place where it can.
const whole = `node {
  id       = "db-a"
  data_dir = "data"
}
arbiter "file" {
  dir = "STORE"
}
transport {
  listen = "127.0.0.1:7400"
  peer "db-b" {
    address = "127.0.0.1:7402"
  }
  tls {
    ca_file   = "tls/ca.pem"
    cert_file = "tls/db-a.pem"
    key_file  = "tls/db-a.key"
  }
}
api {
  listen     = "127.0.0.1:7401"
  token_file = "token"
  tls {
    ca_file   = "tls/ca.pem"
    cert_file = "tls/db-a.pem"
    key_file  = "tls/db-a.key"
  }
}
election "orders" {
  run {
    command = ["./worker"]
  }
  hook "promote" {
    command = ["true"]
  }
  health {
    command = ["true"]
  }
}
`

// machine returns a folder in which everything is as the configuration says.
func machine(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	write(t, filepath.Join(folder, "worker"), "#!/bin/sh\n", 0o700)
	write(t, filepath.Join(folder, "token"), "0123456789abcdef", 0o600)
	for _, args := range [][]string{
		{"tls", "init", "--dir", "tls", "db-a", "db-b"},
		{"tls", "init", "--dir", "others", "db-a"},
		{"tls", "init", "--dir", "tls", "old", "--valid-for", "1ns"},
	} {
		command := exec.Command(electd(), args...)
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return folder
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// located puts the store's place into a configuration.
func located(folder, text string) string {
	return strings.Replace(text, "STORE", filepath.Join(folder, "store"), 1)
}

// validated runs electd validate on text in a folder.
func validated(t *testing.T, folder, text string, flags ...string) (exit int, said string) {
	t.Helper()
	write(t, filepath.Join(folder, "electd.hcl"), located(folder, text), 0o600)
	command := exec.Command(electd(), append([]string{"validate", "--config", "electd.hcl"}, flags...)...)
	command.Dir = folder
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), stderr.String()
}

// What a configuration names on its machine and is not so is told in one message,
// with its line and with what to do; what the daemon would not start with is an
// error.
func TestValidateLooksAtTheMachine(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	if exit, said := validated(t, folder, whole); exit != 0 || said != "" {
		t.Fatalf("all is well, and yet validate exits with %d and says\n%s", exit, said)
	}
	write(t, filepath.Join(folder, "plain"), "text", 0o600)
	for _, c := range []struct {
		name, old, put string // put in the place of the first old
		warning        bool
		line           int
		want           []string
	}{
		{"no CA", "tls/ca.pem", "gone.pem", false, 14, []string{"gone.pem: no such file", "electd tls init"}},
		{"no certificate", "tls/db-a.pem", "gone.pem", false, 15, []string{"gone.pem: no such file", "Correct the path"}},
		{"no key", "tls/db-a.key", "gone.key", false, 16, []string{"gone.key: no such file", "Correct the path"}},
		{"a CA that is none", "tls/ca.pem", "plain", false, 14, []string{"plain holds no PEM certificate"}},
		{"a CA that did not sign", "tls/ca.pem", "others/ca.pem", false, 14, []string{"no authority in", "Use the files of one authority"}},
		{"another's key", "tls/db-a.key", "tls/db-b.key", false, 16, []string{"db-b.key is not the key of"}},
		{"another's certificate", `"tls/db-a.pem"
    key_file  = "tls/db-a.key"`, `"tls/db-b.pem"
    key_file  = "tls/db-b.key"`, false, 15, []string{`is for ["db-b"]`, "made for node db-a"}},
		{"the API's key", `"tls/db-a.key"
  }
}
election`, `"tls/db-b.key"
  }
}
election`, false, 25, []string{"api: tls.key_file", "db-b.key is not the key of"}},
		{"the API's expired certificate", `"tls/db-a.pem"
    key_file  = "tls/db-a.key"
  }
}
election`, `"tls/old.pem"
    key_file  = "tls/old.key"
  }
}
election`, false, 24, []string{"old.pem expired on", "Renew it"}},
		{"a token that is too short", `token_file = "token"`, `token_file = "plain"`, false, 21, []string{"token_file: is too short"}},
		{"one address twice", `"127.0.0.1:7401"`, `"127.0.0.1:7400"`, false, 20, []string{"is the transport's as well", "Give one of them another"}},
		{"one port on all addresses", `"127.0.0.1:7401"`, `":7400"`, false, 20, []string{"is the transport's as well"}},
		{"a file as the data directory", `"data"`, `"plain"`, false, 3, []string{"plain is not a directory", "name a folder"}},
		{"a data directory below a file", `"data"`, `"plain/data"`, false, 3, []string{"is not in a directory"}},
		{"somebody's folder as the data directory", `"data"`, `"tls"`, false, 3, []string{"holds other things", "a folder of its own"}},
		{"no program", `"./worker"`, `"./gone"`, true, 30, []string{"There is no program", "unless a promote hook brings it"}},
		{"no program in the path", `["true"]`, `["no-such-program"]`, true, 33, []string{"There is no program no-such-program in $PATH"}},
		{"a program that is none", `"./worker"`, `"./plain"`, true, 30, []string{"is not executable", "chmod +x"}},
		{"a folder as the program", `"./worker"`, `"./tls"`, true, 30, []string{"is a folder"}},
	} {
		text := strings.Replace(whole, c.old, c.put, 1)
		exit, said := validated(t, folder, text)
		severity, status := "Error", exitConfig
		if c.warning {
			severity, status = "Warning", 0
		}
		if exit != status || strings.Count(said, "Error: ")+strings.Count(said, "Warning: ") != 1 {
			t.Errorf("%s: exit status %d, want %d with one message:\n%s", c.name, exit, status, said)
		}
		for _, want := range append(c.want, fmt.Sprintf("%s: electd.hcl:%d:", severity, c.line)) {
			if !strings.Contains(said, want) {
				t.Errorf("%s: the message lacks %q:\n%s", c.name, want, said)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "data")); !os.IsNotExist(err) {
		t.Errorf("validate has made the data directory (%v)", err)
	}
}

// A transport's certificate is found expired, by its own node.
func TestValidateFindsAnExpiredCertificate(t *testing.T) {
	t.Parallel()
	folder := machine(t)
	text := strings.ReplaceAll(strings.ReplaceAll(whole, "db-a", "old"), `token_file = "token"`, "")
	text = text[:strings.Index(text, "api {")] + text[strings.Index(text, "election "):]
	exit, said := validated(t, folder, text)
	if exit != exitConfig || !strings.Contains(said, "electd.hcl:15:") || !strings.Contains(said, "expired on") {
		t.Errorf("exit status %d:\n%s", exit, said)
	}
}

// A file that is for another machine is not measured by this one.
func TestValidateElsewhere(t *testing.T) {
	t.Parallel()
	exit, said := validated(t, t.TempDir(), whole, "--elsewhere")
	if exit != 0 || said != "" {
		t.Errorf("exit status %d:\n%s", exit, said)
	}
	if exit, said := validated(t, t.TempDir(), whole); exit != exitConfig || strings.Count(said, "Error: ") != 3 {
		t.Errorf("without --elsewhere: exit status %d, want %d and the transport's and the API's certificates and the token:\n%s", exit, exitConfig, said)
	}
}

// A data directory of another node, and one that a daemon has: the first is
// refused, the second is how a change to a running daemon is validated.
func TestValidateBesideADaemon(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "v-") // short enough for Unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	alone := "node {\n  id       = %q\n  data_dir = \"data\"\n}\narbiter \"file\" {\n  dir = \"STORE\"\n}\nelection \"orders\" {}\n"
	write(t, filepath.Join(folder, "run.hcl"), located(folder, fmt.Sprintf(alone, "db-a")), 0o600)
	daemon := exec.Command(electd(), "run", "--config", "run.hcl")
	daemon.Dir = folder
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { daemon.Process.Signal(os.Interrupt); daemon.Wait() })
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(folder, "data", "api.sock")); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	if exit, said := validated(t, folder, fmt.Sprintf(alone, "db-a")); exit != 0 || said != "" {
		t.Errorf("beside its daemon: exit status %d:\n%s", exit, said)
	}
	exit, said := validated(t, folder, fmt.Sprintf(alone, "db-b"))
	if exit != exitConfig || !strings.Contains(said, "electd.hcl:3:") || !strings.Contains(said, `belongs to node "db-a"`) {
		t.Errorf("another node's data directory: exit status %d:\n%s", exit, said)
	}
}
