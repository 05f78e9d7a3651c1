// Command electsim searches the protocol for faults: it simulates elections,
// explores them exhaustively, and breaks the protocol's rules one by one to see
// that the search would notice.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// errFound is returned when a search found what should not be there. It has been
// reported already.
var errFound = errors.New("found")

func main() {
	root := &cobra.Command{
		Use:           "electsim",
		Short:         "Search the election protocol for faults",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(runCommand(), replayCommand(), shrinkCommand(), exploreCommand(), mutantsCommand())
	if err := root.Execute(); err != nil {
		if !errors.Is(err, errFound) {
			fmt.Fprintln(os.Stderr, "electsim:", err)
		}
		os.Exit(1)
	}
}
