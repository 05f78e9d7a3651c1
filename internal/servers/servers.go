// Package servers starts real store servers on loopback for tests, each in a
// file of its own. They end with the test.
package servers

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/internal/ports"
)

// S3 is a running server with S3's API and one empty bucket.
type S3 struct {
	Name            string // of the program, for subtests and exceptions
	Endpoint        string // http://127.0.0.1:PORT
	Region          string
	Bucket          string
	AccessKeyID     string
	SecretAccessKey string
}

// Find returns the path of a program that tests need: from the folder that
// ELECTD_TEST_BIN names, else from .cache/bin of the repository, else from PATH.
func Find(program string) (string, error) {
	folder := os.Getenv("ELECTD_TEST_BIN")
	if folder == "" {
		folder = filepath.Join(root(), ".cache", "bin")
	}
	path := filepath.Join(folder, program)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return exec.LookPath(program)
}

// root is the repository's root, known from where this file stands in it.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Need is Find for a test: without the program it is skipped and says how to
// install it. With ELECTD_TEST_NO_SKIP set, as in CI, it fails instead.
func Need(t testing.TB, program string) string {
	t.Helper()
	path, err := Find(program)
	if err == nil {
		return path
	}
	message := fmt.Sprintf("%s is not installed: run scripts/install-%s.sh", program, program)
	if os.Getenv("ELECTD_TEST_NO_SKIP") != "" {
		t.Fatal(message)
	}
	t.Skip("SKIPPED: " + message)
	return ""
}

// FreePort returns a port of loopback that nobody listens on.
func FreePort(t testing.TB) int {
	t.Helper()
	port, err := ports.Free()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// FreeAddress returns an address of loopback that nobody listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", FreePort(t))
}

// Listen accepts connections on loopback, closes each after serve, and returns where.
func Listen(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	return l.Addr().String()
}

// Run starts a server program, waits until it accepts connections on the port,
// and kills it when the test ends. Its output is shown if the test failed.
func Run(t testing.TB, port int, command *exec.Cmd) {
	t.Helper()
	var output lockedBuffer
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-exited
		if t.Failed() {
			t.Logf("output of %s:\n%s", filepath.Base(command.Path), output.String())
		}
	})
	if err := listening(port, exited); err != nil {
		t.Fatalf("%s: %v", strings.Join(command.Args, " "), err)
	}
}

// listening waits until someone accepts connections on the port.
func listening(port int, exited <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return c.Close()
		}
		select {
		case <-exited:
			return fmt.Errorf("ended before it listened on port %d", port)
		case <-ctx.Done():
			return fmt.Errorf("does not listen on port %d", port)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lockedBuffer keeps what a program printed; two of its streams write to it.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
