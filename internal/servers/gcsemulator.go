package servers

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"testing"
)

// GCS is a running server with Google Cloud Storage's JSON API and one empty
// bucket. None of them asks for credentials.
type GCS struct {
	Name     string // of the program, for subtests and exceptions
	Endpoint string // http://127.0.0.1:PORT
	Bucket   string
}

// Gcsemulator starts gcsemulator, in memory.
func Gcsemulator(t testing.TB) GCS {
	t.Helper()
	program := needGCS(t, "gcsemulator")
	port := FreePort(t)
	Run(t, port, exec.Command(program, "-host", "127.0.0.1", "-port", strconv.Itoa(port), "-verbose=false"))
	return withBucket(t, GCS{Name: "gcsemulator", Endpoint: fmt.Sprintf("http://127.0.0.1:%d", port), Bucket: "leases"})
}

// needGCS is Need for the two programs that one script installs.
func needGCS(t testing.TB, program string) string {
	t.Helper()
	if _, err := Find(program); err != nil {
		return Need(t, "gcs-emulators")
	}
	return Need(t, program)
}

// withBucket makes the server's bucket.
func withBucket(t testing.TB, s GCS) GCS {
	t.Helper()
	body := fmt.Appendf(nil, `{"name":%q}`, s.Bucket)
	answer, err := http.Post(s.Endpoint+"/storage/v1/b?project=electd", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		t.Fatalf("making the bucket: %s: %s", answer.Status, text)
	}
	return s
}
