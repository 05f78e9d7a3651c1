package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// Event is one thing that the daemon's event stream tells. One of Transition
// and Missed is set.
type Event struct {
	ID         string      // to resume after
	Transition *Transition // an election changed its phase
	Missed     *Missed     // transitions before the next one are lost
}

// Latest stands for the id of the newest event, to be told only what comes.
const Latest = "latest"

// Pauses between attempts to reach the daemon, and how long a stream may be
// silent: the daemon sends a sign of life every ten seconds.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	silence      = 30 * time.Second
)

// Events follows the daemon's events after the one with that id: all that it
// keeps if the id is empty, only new ones if it is Latest. Without elections
// named it is about all of them. A lost connection is told as an error, and made
// anew while the caller goes on asking; where it resumes nothing is told twice,
// and what cannot be told any more is told as Missed. It ends with ctx, with the
// caller's loop, or after an error that trying again cannot mend (an *Error).
func (c *Client) Events(ctx context.Context, after string, elections ...string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := follower{client: c, after: after, elections: elections, yield: yield}
		for pause := firstPause; ; pause = min(2*pause, longestPause) {
			err := f.follow(ctx)
			if f.told {
				pause, f.told = firstPause, false
			}
			if f.over || ctx.Err() != nil {
				return
			}
			var said *Error
			if !yield(Event{}, err) || errors.As(err, &said) && said.Status < 500 {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

// follower hands on the events of one stream after the other.
type follower struct {
	client    *Client
	after     string
	elections []string
	yield     func(Event, error) bool
	told      bool // something came on this stream
	over      bool // the caller has had enough
}

var errStreamEnded = errors.New("the daemon ended the event stream")

// follow hands on the events of one stream until it ends, and returns why.
func (f *follower) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(silence, func() { cancel(errors.New("the event stream is silent")) })
	defer quiet.Stop()

	query := url.Values{"election": f.elections}
	if f.after != "" {
		query.Set("after", f.after)
	}
	answer, err := f.client.send(ctx, http.MethodGet, "/v1/events?"+query.Encode(), nil)
	if err == nil {
		err = refused(answer)
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	for m, err := range messages(answer.Body) {
		if err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		quiet.Reset(silence)
		if m.id != "" {
			f.after, f.told = m.id, true
		}
		e, known, err := m.event()
		if err != nil {
			return err
		}
		if known && !f.yield(e, nil) {
			f.over = true
			return nil
		}
	}
	return errStreamEnded
}
