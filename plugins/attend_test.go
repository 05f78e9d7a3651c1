package plugins

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// mute is the health service of a plugin that hangs.
type mute struct{ grpc_health_v1.HealthClient }

func (mute) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest, _ ...grpc.CallOption) (*grpc_health_v1.HealthCheckResponse, error) {
	<-ctx.Done()
	return nil, status.FromContextError(ctx.Err()).Err()
}

// attended runs attend on an instance that hangs from the beginning.
func attended(t *testing.T, health time.Duration, do func(*instance, context.CancelFunc)) (fate, time.Duration) {
	i := &instance{lost: make(chan struct{}), health: mute{}}
	i.spec.Timeouts.Health = health
	h := &Host{}
	h.ctx, h.cancel = context.WithCancel(t.Context())
	defer h.cancel()
	begun := time.Now()
	do(i, h.cancel)
	became := h.attend(i, nil)
	return became, time.Since(begun)
}

// A plugin that hangs is lost two health intervals after the last good answer: four
// seconds at two seconds' interval. Each time, not with luck.
func TestHangIsNoticedInTime(t *testing.T) {
	const health = time.Second
	var trials sync.WaitGroup
	for range 16 {
		trials.Go(func() {
			became, took := attended(t, health, func(*instance, context.CancelFunc) {})
			if became != lost || took > 2*health+health/2 {
				t.Errorf("fate %d after %s, want lost (%d) after %s", became, took, lost, 2*health)
			}
		})
	}
	trials.Wait()
}

// What happens while a check waits for its answer is acted on at once.
func TestNothingWaitsForACheck(t *testing.T) {
	const health = 4 * time.Second // the check begins after it and takes as long
	meanwhile := func(what func(*instance, context.CancelFunc)) func(*instance, context.CancelFunc) {
		return func(i *instance, close context.CancelFunc) {
			time.AfterFunc(health+200*time.Millisecond, func() { what(i, close) })
		}
	}
	for name, c := range map[string]struct {
		do   func(*instance, context.CancelFunc)
		want fate
	}{
		"lost":   {func(i *instance, _ context.CancelFunc) { i.lose(errors.New("its process ended")) }, lost},
		"closed": {func(_ *instance, close context.CancelFunc) { close() }, closed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			became, took := attended(t, health, meanwhile(c.do))
			if became != c.want || took > health+health/2 {
				t.Errorf("fate %d after %s, want %d after %s", became, took, c.want, health)
			}
		})
	}
}

// A plugin whose starts succeed waits a second at most for the next one; only one
// that cannot be started backs off.
func TestPauses(t *testing.T) {
	var pause, most time.Duration
	for range 20 {
		most = max(most, pause)
		pause = shorter(longer(pause))
	}
	if most != time.Second {
		t.Errorf("the longest pause between starts that succeed is %s, want 1s", most)
	}
	for range 20 {
		pause = longer(pause)
	}
	if pause != 15*time.Second {
		t.Errorf("the longest pause between starts that fail is %s, want 15s", pause)
	}
	if pause = shorter(pause); pause != time.Second {
		t.Errorf("the pause after a start that succeeded at last is %s, want 1s", pause)
	}
}
