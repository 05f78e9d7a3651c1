package plugins

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/connectivity"
)

// Where there is no TLS, whoever listens at the socket's old path must not be
// taken for the plugin: the host connects once.
func TestAnImpostorIsNotConnectedTo(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "t")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	spec, err := Spec{
		Name: "memory", Self: []string{}, Env: []string{"ELECTD_TEST_PLUGIN=notls"}, Plaintext: true, SocketDir: base,
	}.complete()
	if err != nil {
		t.Fatal(err)
	}
	img, err := spec.image()
	if err != nil {
		t.Fatal(err)
	}
	i, err := start(t.Context(), spec, img)
	if err != nil {
		t.Fatal(err)
	}
	defer i.stop()
	network, path := i.process.address()
	if network != "unix" || filepath.Dir(filepath.Dir(path)) != base {
		t.Fatalf("it listens on %s %s", network, path)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil { // it is gone, so anybody can
		t.Fatal(err)
	}
	impostor, err := net.Listen(network, path)
	if err != nil {
		t.Fatal(err)
	}
	var met atomic.Int32
	go func() {
		for {
			c, err := impostor.Accept()
			if err != nil {
				return
			}
			met.Add(1)
			_ = c.Close()
		}
	}()
	defer impostor.Close()
	if err := syscall.Kill(i.process.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-i.lost
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		i.conn.Connect() // as any call would
		if s := i.conn.GetState(); s == connectivity.Ready {
			t.Fatal("it is connected again")
		}
	}
	if n := met.Load(); n != 0 {
		t.Errorf("the impostor was called %d times", n)
	}
	if c, err := i.dial(context.Background(), ""); err == nil {
		c.Close()
		t.Error("a second connection was made")
	}
}
