package service

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/electd/electd/internal/build"
)

// built is the folder of the programs built for this test run.
var built string

func TestMain(m *testing.M) {
	if os.Getenv(beaconFolder) != "" {
		beacon()
		return
	}
	if os.Getenv(asCareless) != "" {
		serveCareless()
		return
	}
	if os.Getenv(asStuck) != "" {
		serveStuck()
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait, mostly
		panic(err)
	}
	os.Exit(build.Into(func(folder string) int {
		built = folder
		return m.Run()
	}, build.Electd, "github.com/electd/electd/plugins/electd-arbiter-file"))
}

func electd() string { return filepath.Join(built, "electd") }

// soak tells whether the repetitions that are too long for every change are to
// be made; it says so if not.
func soak(t *testing.T, instead string) bool {
	t.Helper()
	if os.Getenv("ELECTD_SOAK") != "" {
		return true
	}
	t.Logf("ELECTD_SOAK is not set: %s", instead)
	return false
}
