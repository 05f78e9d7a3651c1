package arbitertest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/core"
)

// The page in docs/ lists every check with its reason, word for word.
func TestTheDocumentListsEveryCheck(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	unopened := arbitertest.Harness{Open: func(context.Context) (core.Arbiter, error) { return nil, core.ErrUnavailable }}
	for _, r := range arbitertest.Examine(t.Context(), unopened).Results {
		if line := fmt.Sprintf("| `%s` | %s |\n", r.Name, r.Why); !strings.Contains(string(page), line) {
			t.Errorf("docs/conformance.md has not this line:\n%s", line)
		}
	}
}
