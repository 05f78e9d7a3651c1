// Package pgtest starts a real PostgreSQL for tests, and stands between it and a
// client to lose, hold and silence what a test says.
package pgtest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/electd/electd/internal/servers"
)

// Server is a running PostgreSQL with one database.
type Server struct {
	Address string // host:port
}

// URL is the database's, as a superuser that needs no password.
func (s Server) URL() string { return URL(s.Address) }

// URL is that of the database at an address, of the server itself or a proxy.
func URL(address string) string {
	return fmt.Sprintf("postgres://electd@%s/postgres?sslmode=disable", address)
}

// Start makes a database in a directory of its own and serves it on loopback.
// It ends with the test. PostgreSQL does not run as root: then it is run as
// nobody.
func Start(t testing.TB, settings ...string) Server {
	t.Helper()
	// Its other programs are beside it, and it finds its files by where it is.
	postgres, err := filepath.EvalSymlinks(servers.Need(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	initdb := filepath.Join(filepath.Dir(postgres), "initdb")
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	data := filepath.Join(dir, "data")
	credential := unprivileged(t, dir)

	make := exec.Command(initdb, "--pgdata", data, "--username", "electd", "--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C")
	make.Dir = dir
	make.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}

	port := servers.FreePort(t)
	arguments := []string{"-D", data, "-h", "127.0.0.1", "-p", fmt.Sprint(port), "-k", "", "-F"}
	for _, s := range settings {
		arguments = append(arguments, "-c", s)
	}
	command := exec.Command(postgres, arguments...)
	command.Dir = dir
	run(t, port, command, credential)
	return Server{Address: fmt.Sprintf("127.0.0.1:%d", port)}
}

// unprivileged gives the directory to a user without rights, if this is root.
func unprivileged(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: nobody, Gid: nobody}
}
