package sim

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

func TestReplay(t *testing.T) {
	s, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if s == 0 {
		t.Skip()
	}
	r := Run(NewPlan(s), func(l string) { fmt.Println(l) })
	t.Log(r.Failure)
}
