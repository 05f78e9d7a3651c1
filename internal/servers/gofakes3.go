package servers

import (
	"io"
	"log"
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Gofakes3 starts gofakes3 in this process, in memory. It checks no secret.
func Gofakes3(t testing.TB) S3 {
	t.Helper()
	s := S3{Name: "gofakes3", Region: "us-east-1", Bucket: "leases", AccessKeyID: "any", SecretAccessKey: "any"}
	backend := s3mem.New()
	if err := backend.CreateBucket(s.Bucket); err != nil {
		t.Fatal(err)
	}
	quiet := gofakes3.StdLog(log.New(io.Discard, "", 0), gofakes3.LogErr, gofakes3.LogWarn, gofakes3.LogInfo)
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(quiet)).Server())
	t.Cleanup(server.Close)
	s.Endpoint = server.URL
	return s
}
