// Package build makes the programs that tests run as their users do.
package build

import (
	"fmt"
	"os"
	"os/exec"
)

// The programs that tests ask for.
const (
	Electd   = "github.com/electd/electd/cmd/electd"
	PluginS3 = "github.com/electd/electd/plugins/electd-arbiter-s3"
)

// Into builds programs and calls use with the folder they are in; the folder is
// removed afterwards. The status is use's, or 1 if the programs do not build.
func Into(use func(folder string) int, programs ...string) int {
	folder, err := os.MkdirTemp("", "built-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	command := exec.Command("go", append([]string{"build", "-o", folder + "/"}, programs...)...)
	if out, err := command.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return use(folder)
}
