package servers

import (
	"net/http/httptest"
	"testing"

	"github.com/electd/electd/arbiter/strict3"
)

// Strict3 starts the strict S3 server in this process, with one user.
func Strict3(t testing.TB) S3 {
	t.Helper()
	s, _ := Strict3With(t, strict3.Options{}, strict3.Bucket{})
	return s
}

// Strict3With starts the strict S3 server as the options say. A user and the
// bucket's name are added where they are missing.
func Strict3With(t testing.TB, o strict3.Options, b strict3.Bucket) (S3, *strict3.Server) {
	t.Helper()
	if len(o.Users) == 0 {
		o.Users = []strict3.User{{AccessKeyID: "electd-test", SecretAccessKey: "electd-test-secret"}}
	}
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	if b.Name == "" {
		b.Name = "leases"
	}
	store := strict3.New(o)
	store.CreateBucket(b)
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	return S3{
		Name: "strict3", Endpoint: server.URL, Region: o.Region, Bucket: b.Name,
		AccessKeyID: o.Users[0].AccessKeyID, SecretAccessKey: o.Users[0].SecretAccessKey,
	}, store
}
