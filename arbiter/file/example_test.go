package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/electd/electd/arbiter/file"
	"github.com/electd/electd/core"
)

// Two processes of one machine try to create the same record; one succeeds.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	for _, node := range []string{"host", "host-2"} {
		arbiter, err := file.New(ctx, file.Config{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer arbiter.Close()
		_, err = arbiter.CompareAndSwap(ctx, core.Swap{Key: "orders/lease.json", Record: []byte(node), Intent: core.Take})
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
	// host leads
	// host-2 follows host
}
