package main

import (
	"context"
	"testing"
	"time"
)

// TestReloadsOneAtATime: those asked for meanwhile are one more, and an order to
// end does not wait for a slow one.
func TestReloadsOneAtATime(t *testing.T) {
	began := make(chan int, 8)
	count := 0
	proceed := make(chan struct{})
	r := &reloads{each: func(ctx context.Context) {
		count++
		began <- count
		select {
		case <-ctx.Done():
		case <-proceed:
		}
	}}
	r.ask()
	r.ask()
	r.ask()
	<-began
	proceed <- struct{}{}
	<-r.done
	r.ended()
	if got := <-began; got != 2 || r.again {
		t.Errorf("the reload after the first is number %d; another one waits: %t", got, r.again)
	}
	asked := time.Now()
	r.end(t.Context())
	if took := time.Since(asked); took > time.Second {
		t.Errorf("the end waited %v for a reload", took)
	}
	if count != 2 {
		t.Errorf("%d reloads, want 2", count)
	}
}
