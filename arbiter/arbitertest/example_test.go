package arbitertest_test

import (
	"context"
	"fmt"
	"os"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

// A program examines an arbiter and prints what failed.
func ExampleExamine() {
	store := memory.NewStore()
	report := arbitertest.Examine(context.Background(), arbitertest.Harness{
		Open:   func(context.Context) (core.Arbiter, error) { return store.Client("examined"), nil },
		Rounds: 3,
	})
	if err := report.Err(); err != nil {
		_ = report.WriteText(os.Stdout)
	}
	fmt.Println(report.Count(arbitertest.Failed), "failed")
	for _, result := range report.Results {
		if result.Status == arbitertest.Skipped {
			fmt.Println(result.Name, "was skipped:", result.Reason)
		}
	}
	// Output:
	// 0 failed
	// lost-answer was skipped: the harness cannot break the way to the store
	// deadline-silence was skipped: the harness cannot break the way to the store
	// no-retry was skipped: the harness cannot break the way to the store
	// late-write was skipped: the harness cannot break the way to the store
}
