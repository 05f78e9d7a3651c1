package s3

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/electd/electd/core"
)

// pace says when a keeper renews.
type pace struct {
	before  time.Duration // this long before the end, or at half the life if that is later
	again   time.Duration // after a failure, and the least time between renewals that nobody asked for
	breath  time.Duration // least time between any two renewals
	timeout time.Duration // of one renewal
}

var usualPace = pace{before: 15 * time.Minute, again: 15 * time.Second, breath: time.Second, timeout: 30 * time.Second}

// keeper holds the credentials and renews them in the background, ahead of
// their end, so that no request of an election ever waits for a token service.
type keeper struct {
	source aws.CredentialsProvider
	pace   pace
	stop   context.CancelFunc
	done   sync.WaitGroup
	wake   chan struct{} // someone found nothing usable

	mu       sync.Mutex
	current  aws.Credentials
	have     bool
	obtained time.Time
	err      error         // of the last attempt, nil if it succeeded
	tried    time.Time     // when the last attempt ended
	attempt  chan struct{} // closed when the attempt under way or next ends
}

// keep starts keeping the credentials of a provider.
func keep(p aws.CredentialsProvider, pace pace) *keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &keeper{
		source:  p,
		pace:    pace,
		stop:    stop,
		wake:    make(chan struct{}, 1),
		attempt: make(chan struct{}),
	}
	k.done.Go(func() { k.run(ctx) })
	return k
}

// close stops renewing and waits until that has stopped.
func (k *keeper) close() {
	k.stop()
	k.done.Wait()
}

func (k *keeper) run(ctx context.Context) {
	for {
		k.renew(ctx)
		if !k.rest(ctx) {
			return
		}
	}
}

// rest waits until the next renewal is due or asked for, never less than a
// breath; false when ctx ended.
func (k *keeper) rest(ctx context.Context) bool {
	var due <-chan time.Time
	if pause, forever := k.pause(time.Now()); !forever {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		due = timer.C
	}
	breath := time.NewTimer(k.pace.breath)
	defer breath.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-breath.C:
	}
	select {
	case <-ctx.Done():
		return false
	case <-due:
	case <-k.wake:
	}
	return true
}

// refresh asks for a renewal soon: the store refused what is kept.
func (k *keeper) refresh() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// renew asks the source once and publishes what it said.
func (k *keeper) renew(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, k.pace.timeout)
	defer cancel()
	if cache, ok := k.source.(interface{ Invalidate() }); ok { // the SDK's, which would say the same again
		cache.Invalidate()
	}
	fresh, err := k.source.Retrieve(ctx)

	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried, k.err = time.Now(), err
	if err == nil {
		if fresh.Expires != k.current.Expires {
			k.obtained = k.tried
		}
		k.current, k.have = fresh, true
	}
	close(k.attempt)
	k.attempt = make(chan struct{})
}

// pause is how long to wait before the next renewal; forever for credentials
// that never end.
func (k *keeper) pause(now time.Time) (d time.Duration, forever bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.err != nil:
		return k.pace.again, false
	case !k.current.CanExpire:
		return 0, true
	}
	early := min(k.pace.before, k.current.Expires.Sub(k.obtained)/2)
	return max(k.current.Expires.Add(-early).Sub(now), k.pace.again), false
}

// Retrieve returns the credentials kept. Only when none are usable does it wait
// for an attempt under way, no longer than ctx.
func (k *keeper) Retrieve(ctx context.Context) (aws.Credentials, error) {
	for {
		c, attempt, err := k.look(time.Now())
		if attempt == nil {
			return c, err
		}
		k.refresh()
		select {
		case <-attempt:
		case <-ctx.Done():
			return aws.Credentials{}, &credentialsError{err: errors.Join(err, ctx.Err()), waiting: true}
		}
	}
}

// look returns usable credentials, or the error of an attempt that failed just
// now, or a channel to wait on with what is known so far.
func (k *keeper) look(now time.Time) (aws.Credentials, <-chan struct{}, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.have && (!k.current.CanExpire || now.Before(k.current.Expires)) {
		return k.current, nil, nil
	}
	err := k.err
	if err == nil && k.have {
		err = fmt.Errorf("the credentials of %s ended at %s", k.current.Source, k.current.Expires.Format(time.RFC3339))
	}
	if err != nil && now.Sub(k.tried) < k.pace.breath {
		return aws.Credentials{}, nil, &credentialsError{err: err}
	}
	return aws.Credentials{}, k.attempt, err
}

// credentialsError says that there were no usable credentials: nothing was sent.
type credentialsError struct {
	err     error
	waiting bool // the caller's deadline came first
}

func (e *credentialsError) Error() string {
	if e.waiting {
		return fmt.Sprintf("credentials are not there yet: %v", e.err)
	}
	return fmt.Sprintf("no usable credentials: %v", e.err)
}

func (e *credentialsError) Unwrap() error { return e.err }

// status says which credentials are in use and until when.
func (k *keeper) status() core.Credentials {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := core.Credentials{Source: k.current.Source, ID: k.current.AccessKeyID}
	if k.current.CanExpire {
		s.Expires = k.current.Expires
	}
	if k.err != nil {
		s.Problem = requestID.ReplaceAllString(k.err.Error(), "")
	}
	return s
}

// requestID is what the SDK adds to errors of a token service: it differs from
// one try to the next, although nothing has changed.
var requestID = regexp.MustCompile(`, (RequestID|HostID): [^,]*`)

// overdue reports whether the credentials end so soon that their source ought to
// have given new ones by now.
func (k *keeper) overdue(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.have || !k.current.CanExpire {
		return false
	}
	early := min(k.pace.before, k.current.Expires.Sub(k.obtained)/2)
	return k.current.Expires.Sub(now) < early/2
}
