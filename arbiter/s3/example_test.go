package s3_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/electd/electd/arbiter/s3"
	"github.com/electd/electd/arbiter/strict3"
	"github.com/electd/electd/core"
)

// Two nodes try to create the same record; one of them succeeds.
func ExampleNew() {
	store := strict3.New(strict3.Options{}) // stands in for Amazon S3
	store.CreateBucket(strict3.Bucket{Name: "acme-ha"})
	server := httptest.NewServer(store)
	defer server.Close()

	ctx := context.Background()
	arbiter, err := s3.New(ctx, s3.Config{
		Bucket: "acme-ha", Prefix: "prod",
		Endpoint: server.URL, AccessKeyID: "id", SecretAccessKey: "secret", // leave out for Amazon S3
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer arbiter.Close()

	for _, node := range []string{"db-a", "db-b"} {
		_, err := arbiter.CompareAndSwap(ctx, core.Swap{Key: "orders/lease.json", Record: []byte(node), Intent: core.Take})
		switch {
		case err == nil:
			fmt.Println(node, "leads")
		case errors.Is(err, core.ErrConflict):
			now, _ := arbiter.Read(ctx, "orders/lease.json")
			fmt.Printf("%s follows %s\n", node, now.Record)
		default:
			fmt.Println(node, err)
		}
	}
	// Output:
	// db-a leads
	// db-b follows db-a
}
