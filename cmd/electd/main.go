// Command electd runs exactly one leader among a few machines.
package main

import (
	"fmt"
	"os"

	"github.com/electd/electd/cmd/electd/internal/builtin"
	"github.com/electd/electd/cmd/electd/internal/supervise/watchdog"
)

// version is set when a release is built.
var version = "dev"

func main() {
	// electd starts itself as the watchdog of a program and as the process of a
	// built-in arbiter. Neither is a command for people.
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "watchdog":
			os.Exit(watchdog.Main())
		case builtin.Command:
			serveArbiter(os.Args[2:])
			return
		}
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// serveArbiter is the process of a built-in arbiter.
func serveArbiter(args []string) {
	if len(args) != 1 || builtin.Find(args[0]) == nil {
		fmt.Fprintf(os.Stderr, "electd %s: want the name of one built-in arbiter\n", builtin.Command)
		os.Exit(exitUsage)
	}
	builtin.Find(args[0]).Serve()
}
