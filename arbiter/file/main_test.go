package file

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is also the writer that the tests kill: with roleVariable set
// it plays that part and runs no test.
const roleVariable = "ELECTD_FILE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		goleak.VerifyTestMain(m)
	case "swap once":
		swapOnce()
	case "count":
		count()
	default:
		fmt.Fprintf(os.Stderr, "no role %q\n", role)
		os.Exit(2)
	}
}
