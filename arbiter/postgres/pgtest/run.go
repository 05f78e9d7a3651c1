package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// run starts the server, waits until it takes connections, and ends it with the
// test; what it printed is shown if the test failed.
func run(t testing.TB, port int, command *exec.Cmd, credential *syscall.Credential) {
	t.Helper()
	var output lockedBuffer
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		// At once, and in order: killed hard it would leave shared memory behind.
		_ = command.Process.Signal(syscall.SIGQUIT)
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
			<-exited
		}
		if t.Failed() {
			t.Logf("output of postgres:\n%s", output.String())
		}
	})
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := pgx.Connect(context.Background(), URL(fmt.Sprintf("127.0.0.1:%d", port))); err == nil {
			_ = conn.Close(context.Background())
			return
		}
		select {
		case <-exited:
			t.Fatalf("postgres ended before it took connections:\n%s", output.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("postgres takes no connections")
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
