// Package ports hands out ports of loopback, for tests and the demo: programs
// that have to be told a port before they listen on it.
package ports

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// Ports from first to last are handed out. They lie below those that the system
// gives to outgoing connections and to listeners on port 0 (32768 and up on
// Linux, 49152 and up on macOS), so none is taken between the answer and its use.
const first, last = 20000, 31999

// Free returns a port that nobody listens on, for TCP and for UDP, and that no
// other process of this user was given lately.
func Free() (int, error) {
	path := filepath.Join(folder(), fmt.Sprintf("electd-ports-%d", os.Getuid()))
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return 0, fmt.Errorf("ports: lock %s: %w", path, err)
	}
	defer func() { _ = lock.Close() }()
	port := given(path)
	for range last - first {
		if port++; port > last {
			port = first
		}
		if !free(port) {
			continue
		}
		if err := give(path, port); err != nil {
			return 0, fmt.Errorf("ports: %w", err)
		}
		return port, nil
	}
	return 0, errors.New("ports: every one of loopback is taken")
}

// folder is where the port handed out last is kept. It is not the one of TMPDIR:
// processes with different ones share the ports all the same.
func folder() string {
	if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
		return "/tmp"
	}
	return os.TempDir()
}

// give notes the port handed out last, in a file that is not somebody else's link.
func give(path string, port int) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strconv.Itoa(port))
	return errors.Join(err, file.Close())
}

// given returns the port that was handed out last.
func given(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return first
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || port < first {
		return first
	}
	return port
}

func free(port int) bool {
	address := fmt.Sprintf("127.0.0.1:%d", port)
	stream, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	defer func() { _ = stream.Close() }()
	packets, err := net.ListenPacket("udp", address)
	if err != nil {
		return false
	}
	_ = packets.Close()
	return true
}

// Address returns an address of loopback with a port from Free.
func Address() (string, error) {
	port, err := Free()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("127.0.0.1:%d", port), nil
}
