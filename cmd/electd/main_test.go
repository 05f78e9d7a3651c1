package main

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
	if mode := os.Getenv(asPlugin); mode != "" {
		servePlugin(mode)
		return
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they wait, mostly
		panic(err)
	}
	os.Exit(build.Into(func(folder string) int {
		built = folder
		return m.Run()
	}, build.Electd))
}

func electd() string { return filepath.Join(built, "electd") }
