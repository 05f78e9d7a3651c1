package logline_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/electd/electd/cmd/electd/internal/supervise/logline"
)

func TestAFailureIsSaidAtFirstAndThenOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s logline.Seldom
		said := 0
		for range 100 { // 130 s
			if s.Due("a") {
				said++
			}
			time.Sleep(1300 * time.Millisecond)
		}
		if said != 3 {
			t.Errorf("said %d times in 130 s, want 3: at once, after one and after two minutes", said)
		}
		if !s.Due("b") {
			t.Error("another failure is not said")
		}
		s.Over()
		if !s.Due("a") {
			t.Error("a failure after a success is not said at once")
		}
	})
}
