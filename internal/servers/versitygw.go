package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Versitygw starts versitygw on a folder of its own; a bucket is a folder in it.
func Versitygw(t testing.TB) S3 {
	t.Helper()
	program := Need(t, "versitygw")
	s := S3{
		Name: "versitygw", Region: "us-east-1", Bucket: "leases",
		AccessKeyID: "electd-test", SecretAccessKey: "electd-test-secret",
	}
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, s.Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	port := FreePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	s.Endpoint = "http://" + address

	command := exec.Command(program, "--quiet", "--port", address, "posix", data)
	command.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+s.AccessKeyID, "ROOT_SECRET_KEY="+s.SecretAccessKey)
	Run(t, port, command)
	return s
}
