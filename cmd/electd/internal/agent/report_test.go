package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
)

// diary is an arbiter that reports what stands there, a page a question; a page
// that is nil fails.
type diary struct {
	pages []*core.ArbiterReport
	asked atomic.Int64
}

func (d *diary) Report(context.Context) (core.ArbiterReport, error) {
	page := d.pages[min(int(d.asked.Add(1)), len(d.pages))-1]
	if page == nil {
		return core.ArbiterReport{}, errors.New("the process is gone")
	}
	return *page, nil
}

// What the arbiter says is told once when it begins and once when it is over,
// stands in the status meanwhile, and outlives a report that does not come.
func TestReportsAreKeptAndToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expires := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		ill := &core.ArbiterReport{
			Credentials: core.Credentials{Source: "web identity", ID: "AKIA1", Expires: expires, Problem: "no token"},
			Problems:    []string{"renew the token"}, Preferred: []string{"db-b", "db-a"},
		}
		d := &diary{pages: []*core.ArbiterReport{{}, ill, ill, nil, {}}}
		var out bytes.Buffer
		r := newReport(hclog.New(&hclog.LoggerOptions{Output: &out}))
		ctx, cancel := context.WithCancel(t.Context())
		go r.keep(ctx, d, func(context.Context, core.ArbiterReport) {})
		status := func(after time.Duration) (a client.Arbiter) {
			time.Sleep(after)
			synctest.Wait()
			r.tell(&a)
			return a
		}
		if got := status(2 * time.Second); d.asked.Load() != 1 || !reflect.DeepEqual(got, client.Arbiter{}) {
			t.Errorf("after the first of %d questions: %+v, want nothing", d.asked.Load(), got)
		}
		want := client.Arbiter{
			Credentials: &client.Credentials{Source: "web identity", ID: "AKIA1", ExpiresAt: expires, Problem: "no token"},
			Problems:    []string{"renew the token"}, Preferred: "db-b",
		}
		for i := range 3 {
			if got := status(10 * time.Second); d.asked.Load() != int64(i+2) || !reflect.DeepEqual(got, want) {
				t.Errorf("after %d questions: %+v, want %+v", d.asked.Load(), got, want)
			}
		}
		if got := status(10 * time.Second); d.asked.Load() != 5 || got.Problems != nil {
			t.Errorf("after %d questions: %+v, want no problem", d.asked.Load(), got)
		}
		cancel()
		synctest.Wait()
		for line, times := range map[string]int{
			"[WARN]  the arbiter reports a problem: problem=\"renew the token\"":    1,
			"[INFO]  a problem of the arbiter is over: problem=\"renew the token\"": 1,
			"\n": 2,
		} {
			if got := strings.Count(out.String(), line); got != times {
				t.Errorf("%q stands there %d times, want %d:\n%s", line, got, times, fmt.Sprint(&out))
			}
		}
	})
}
