package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

// counter is a record that shows whether it is whole: a number and the name of
// its writer, repeated over 16 KiB.
func counter(n int, writer string) []byte {
	line := fmt.Sprintf("%d %s\n", n, writer)
	return []byte(strings.Repeat(line, 16<<10/len(line)))
}

// parseCounter returns n, or an error if the record is torn.
func parseCounter(record []byte) (n int, writer string, err error) {
	if _, err := fmt.Sscanf(string(record), "%d %s", &n, &writer); err != nil {
		return 0, "", err
	}
	if !bytes.Equal(record, counter(n, writer)) {
		return 0, "", fmt.Errorf("torn record: %.80q…", record)
	}
	return n, writer, nil
}

// count adds one to the counter for ever, and prints each number that it is
// certain to have written.
func count() {
	ctx := context.Background()
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	a, err := New(ctx, Config{Dir: os.Getenv(dirVariable)})
	if err != nil {
		fail(err)
	}
	me := fmt.Sprint("process-", os.Getpid())
	for {
		s, err := a.Read(ctx, key)
		if err != nil {
			fail(err)
		}
		n, _, err := parseCounter(s.Record)
		if err != nil {
			fail(err)
		}
		_, err = a.CompareAndSwap(ctx, core.Swap{Key: key, Expected: s.Version, Record: counter(n+1, me)})
		switch {
		case err == nil:
			fmt.Println(n + 1)
		case !errors.Is(err, core.ErrConflict):
			fail(err)
		}
	}
}

// Many processes count, and are killed at any moment. Every number has exactly
// one writer, none is lost, and only a killed process's last one may be missing
// from what was reported.
func TestCountingStaysExactAmongKilledProcesses(t *testing.T) {
	const crowd, kills = 4, 24
	a := open(t, t.TempDir())
	mustSwap(t, a, "", string(counter(0, "nobody")))

	var mu sync.Mutex
	reported := map[int]int{}
	work := func(life time.Duration) error {
		c := play("count", a.dir)
		out, err := c.StdoutPipe()
		if err != nil {
			return err
		}
		if err := c.Start(); err != nil {
			return err
		}
		death := time.AfterFunc(life, func() { _ = c.Process.Kill() })
		defer death.Stop()
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var n int
			if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
				return fmt.Errorf("printed %q: %w", lines.Text(), err)
			}
			mu.Lock()
			reported[n]++
			mu.Unlock()
		}
		if err := c.Wait(); err == nil || err.Error() != "signal: killed" {
			return fmt.Errorf("ended by itself: %v", err)
		}
		return nil
	}
	var processes sync.WaitGroup
	for range crowd {
		processes.Go(func() {
			for range kills / crowd {
				life := 100*time.Millisecond + rand.N(300*time.Millisecond)
				if err := work(life); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() {
		processes.Wait()
		close(over)
	}()
	last := 0
	for reading := true; reading; {
		select {
		case <-over:
			reading = false
		default:
		}
		n, _, err := parseCounter(mustRead(t, a).Record)
		if err != nil {
			t.Fatal(err)
		}
		if n < last {
			t.Fatalf("read %d after %d", n, last)
		}
		last = n
	}

	missing := 0
	for n := 1; n <= last; n++ {
		switch reported[n] {
		case 0:
			missing++
		case 1:
		default:
			t.Errorf("%d was written %d times", n, reported[n])
		}
	}
	if len(reported)+missing != last {
		t.Errorf("%d numbers reported and %d not, but the counter stands at %d", len(reported), missing, last)
	}
	if missing > kills {
		t.Errorf("%d numbers have no writer, with %d kills", missing, kills)
	}
	if last < kills {
		t.Errorf("the counter only reached %d", last)
	}
	t.Logf("counted to %d, %d writes unreported by the %d killed", last, missing, kills)
}
