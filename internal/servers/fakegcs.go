package servers

import (
	"fmt"
	"os/exec"
	"strconv"
	"testing"
)

// FakeGCS starts fake-gcs-server, in memory.
func FakeGCS(t testing.TB) GCS {
	t.Helper()
	program := needGCS(t, "fake-gcs-server")
	port := FreePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	Run(t, port, exec.Command(program,
		"-scheme", "http", "-host", "127.0.0.1", "-port", strconv.Itoa(port),
		"-backend", "memory", "-public-host", address, "-external-url", "http://"+address))
	return withBucket(t, GCS{Name: "fake-gcs-server", Endpoint: "http://" + address, Bucket: "leases"})
}
