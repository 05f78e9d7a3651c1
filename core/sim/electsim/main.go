// Command electsim searches the protocol for faults: it simulates elections,
// explores them exhaustively, and breaks the protocol's rules one by one to see
// that the search would notice.
package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"
)

// errFound is returned when a search found what should not be there. It has been
// reported already.
var errFound = errors.New("found")

func main() {
	root := rootCommand()
	root.SetArgs(doubleDashes(os.Args[1:]))
	if err := root.Execute(); err != nil {
		if !errors.Is(err, errFound) {
			fmt.Fprintln(os.Stderr, "electsim:", err)
		}
		os.Exit(1)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "electsim",
		Short:         "Search the election protocol for faults",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(runCommand(), replayCommand(), shrinkCommand(), exploreCommand(), mutantsCommand())
	return root
}

// singleDash is a flag of more than one letter, as Go's own package flag has it.
var singleDash = regexp.MustCompile(`^-[A-Za-z][A-Za-z-]+(=|$)`)

// doubleDashes lets every flag be written with one dash as well: no flag has a
// short form, except for -h, so that -seeds can mean nothing else. What follows
// "--" is left alone.
func doubleDashes(args []string) []string {
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if singleDash.MatchString(arg) {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}
