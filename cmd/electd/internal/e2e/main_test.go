package e2e

import (
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/electd/electd/core/node"
	"github.com/electd/electd/internal/build"
)

// binaries is where electd and its plugins were built for this test run.
var binaries string

func TestMain(m *testing.M) {
	if address := os.Getenv(writerAddress); address != "" {
		write(address, os.Getenv("ELECTD_EPOCH"), os.Getenv("ELECTD_NODE"))
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they wait, mostly
		panic(err)
	}
	os.Exit(build.Into(func(folder string) int {
		binaries = folder
		return m.Run()
	}, build.Electd, build.PluginS3))
}

func electd() string { return filepath.Join(binaries, "electd") }

// writerAddress is the environment variable that turns this test's program into
// the program that electd supervises: it writes to the witness at that address.
const writerAddress = "E2E_WITNESS"

// write is the supervised program: it tries to write to the witness every few
// milliseconds, with its epoch and the time, until it is killed.
func write(address, epoch, name string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	clock := node.SystemClock()
	for {
		if _, err := fmt.Fprintf(conn, "%s %s %d\n", epoch, name, clock()); err != nil {
			os.Exit(1)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
