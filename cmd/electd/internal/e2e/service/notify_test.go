package service

import (
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serviceManager takes down what a daemon notifies.
type serviceManager struct {
	mu   sync.Mutex
	said []string
}

func newServiceManager(t *testing.T, d *daemon, watchdog string) *serviceManager {
	t.Helper()
	path := filepath.Join(d.dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d.env = append(d.env, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC="+watchdog)
	m := &serviceManager{}
	go func() {
		for buffer := make([]byte, 4096); ; {
			n, err := conn.Read(buffer)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.said = append(m.said, strings.Split(strings.TrimSpace(string(buffer[:n])), "\n")...)
			m.mu.Unlock()
		}
	}()
	return m
}

// after returns what was said after the first n things.
func (m *serviceManager) after(n int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.said[n:]...)
}

// await waits until something that begins so was said after the first n things.
func (m *serviceManager) await(t *testing.T, n int, prefix string) {
	t.Helper()
	eventually(t, "the service manager is told "+prefix, func() bool {
		for _, s := range m.after(n) {
			if strings.HasPrefix(s, prefix) {
				return true
			}
		}
		return false
	})
}

// systemd is told of readiness, status, reloads and the end, and that the daemon
// lives only while it does.
func TestServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	d := newDaemon(t, workplace(t), "db-a")
	m := newServiceManager(t, d, "1500000")
	secret := filepath.Join(d.dir, "environment")
	d.alone(run("env > " + secret + "; exec sleep 1000"))
	d.start()
	m.await(t, 0, "READY=1")
	m.await(t, 0, "STATUS=orders: leading at epoch 1")
	m.await(t, 0, "WATCHDOG=1")

	n := len(m.after(0))
	d.reload("the configuration is reloaded")
	m.await(t, n, "RELOADING=1")
	m.await(t, n, "MONOTONIC_USEC=")
	m.await(t, n, "READY=1")

	d.signal(syscall.SIGSTOP) // frozen: not a word
	time.Sleep(100 * time.Millisecond)
	n = len(m.after(0))
	time.Sleep(time.Second)
	if said := m.after(n); len(said) > 0 {
		t.Errorf("a frozen daemon said %q", said)
	}
	d.signal(syscall.SIGCONT)
	m.await(t, n, "WATCHDOG=1")

	n = len(m.after(0))
	d.signal(syscall.SIGTERM)
	<-d.exited
	m.await(t, n, "STOPPING=1")
	m.await(t, n, "EXTEND_TIMEOUT_USEC=10000000")
	for _, line := range lines(secret) {
		if strings.HasPrefix(line, "NOTIFY_SOCKET=") || strings.HasPrefix(line, "WATCHDOG_USEC=") {
			t.Errorf("the program was given %s", line)
		}
	}
}
