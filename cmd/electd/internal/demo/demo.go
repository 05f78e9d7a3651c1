package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Options say how to show the demo.
type Options struct {
	Script []string // names of faults; empty: all of them, in order
	JSON   bool     // one object a line
	Out    io.Writer

	Program string // electd; empty: this very program
}

// ErrFailed says that something was not as it must be.
var ErrFailed = errors.New("not everything was as it must be: see above")

// Script runs faults by itself and prints what they did. The error is
// ErrUnknownFault if there is one that it does not know, and ErrFailed if leaders
// overlapped, a failover missed its bound or the store was asked while all was
// well.
func Script(ctx context.Context, o Options) error {
	if len(o.Script) == 0 {
		o.Script = names()
	}
	script, err := find(o.Script)
	if err != nil {
		return err
	}
	w, err := newWorld(o.Program, defaults)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.start(); err != nil {
		return err
	}
	print := printText
	if o.JSON {
		print = printJSON
	} else {
		fmt.Fprintf(o.Out, "two electd processes, db-a and db-b, on an S3 server at %s\n", w.store.endpoint())
	}
	p := &player{world: w, summary: Summary{Event: "summary"}}
	for _, f := range script {
		r, err := p.play(ctx, f)
		if err != nil {
			return err
		}
		if err := print(o.Out, r); err != nil {
			return err
		}
	}
	if _, _, err := p.healthy(ctx, healthyAtLast); err != nil {
		return err
	}
	failed := p.finish()
	return errors.Join(print(o.Out, p.summary), failed)
}

func printJSON(out io.Writer, v any) error { return json.NewEncoder(out).Encode(v) }

func printText(out io.Writer, v any) error {
	var err error
	switch v := v.(type) {
	case Result:
		_, err = fmt.Fprintln(out, v.text())
	case Summary:
		_, err = fmt.Fprintln(out, v.text())
	}
	return err
}

func (r Result) text() string {
	text := fmt.Sprintf("%-13s", r.Fault)
	if r.FailoverMS != nil {
		text += fmt.Sprintf("%s -> %s  epoch %d -> %d  failover %7.1f ms (at most %d)", r.LeaderBefore, r.LeaderAfter, r.EpochBefore, r.EpochAfter, *r.FailoverMS, r.BoundMS)
	} else {
		text += fmt.Sprintf("%s stays  epoch %d                            ", r.LeaderBefore, r.EpochBefore)
	}
	text += fmt.Sprintf("  overlap %g ms", r.OverlapMS)
	if r.shut > 0 {
		text += fmt.Sprintf("  nobody acted for %s", r.shut.Round(time.Millisecond))
	}
	if r.Failed != "" {
		text += "  FAILED: " + r.Failed
	}
	return text
}

func (s Summary) text() string {
	return fmt.Sprintf("%d faults, %d failed; leaders overlapped for %g ms; %d requests to the store in %.0f healthy seconds",
		s.Faults, s.Failed, s.MaxOverlapMS, s.StoreRequestsHealthy, s.HealthySeconds)
}
