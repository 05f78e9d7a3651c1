package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/electd/electd/client"
)

// answering is a client of what answers as a daemon: how the election stands, and a
// step-down.
func answering(t *testing.T, stands func() client.Election, stepDown http.HandlerFunc) *client.Client {
	t.Helper()
	api, err := client.New(answeringAt(t, stands, stepDown), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	return api
}

func answeringAt(t *testing.T, stands func() client.Election, stepDown http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/elections/orders", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(stands()) })
	mux.HandleFunc("POST /v1/elections/orders/step-down", stepDown)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func released(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(client.Done{Outcome: client.OutcomeDone})
}

// A follower takes whoever holds the lease for the leader; that one is waited for
// until its own guard is open.
func TestStepDownWaitsForThePromotion(t *testing.T) {
	var asked atomic.Int64
	leader := answeringAt(t, func() client.Election {
		now := client.Election{Election: "orders", Node: "db-b", Role: "promoting", Phase: "promoting", Epoch: 4}
		if asked.Add(1) > 3 {
			now.Role, now.Phase, now.Leading, now.Leader = "leader", "leading", true, "db-b"
		}
		return now
	}, released)
	var first atomic.Bool
	api := answering(t, func() client.Election {
		if first.CompareAndSwap(false, true) { // the holder, whose guard is shut
			return client.Election{Election: "orders", Node: "db-a", Role: "fenced", Epoch: 3}
		}
		return client.Election{Election: "orders", Node: "db-a", Role: "follower", Leader: "db-b", Epoch: 4, Addresses: client.Addresses{API: strings.TrimPrefix(leader, "http://")}}
	}, released)
	var out strings.Builder
	if err := stepDownAndWait(t.Context(), streams{out: &out}, api, (&target{}).another, "orders", ""); err != nil {
		t.Fatal(err)
	}
	want := "db-a has released epoch 3\ndb-b has taken over epoch 4 and is being promoted\ndb-b leads at epoch 4\n"
	if out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
	if n := asked.Load(); n < 4 {
		t.Errorf("the leader was asked %d times: it led at the fourth only", n)
	}
}

// A promotion that does not end in time is no success, and is named.
func TestStepDownDoesNotTakeAPromotionForALeader(t *testing.T) {
	var first atomic.Bool
	api := answering(t, func() client.Election {
		if first.CompareAndSwap(false, true) {
			return client.Election{Election: "orders", Node: "db-b", Role: "follower", Leader: "db-a", Epoch: 3}
		}
		return client.Election{Election: "orders", Node: "db-b", Role: "promoting", Epoch: 4}
	}, released)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var out strings.Builder
	err := stepDownAndWait(ctx, streams{out: &out}, api, (&target{}).another, "orders", "")
	if err == nil || !strings.Contains(err.Error(), "db-b was still being promoted") {
		t.Errorf("it ends with %v", err)
	}
}

// A daemon that runs is not asked after when its store keeps it from releasing.
func TestStepDownThatIsUnderWaySaysSo(t *testing.T) {
	api := answering(t, func() client.Election {
		return client.Election{Election: "orders", Node: "db-a", Role: "releasing", Leader: "db-a", Epoch: 3, Trouble: "the arbiter does not answer"}
	}, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var out strings.Builder
	err := stepDownAndWait(ctx, streams{out: &out}, api, (&target{}).another, "orders", "")
	if err == nil || strings.Contains(err.Error(), "Is the daemon running") {
		t.Fatalf("it ends with %v", err)
	}
	for _, want := range []string{"may be under way", "db-a is releasing", "the arbiter does not answer", "the release cannot be written"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q: %v", want, err)
		}
	}
}

// A follower that hears its leader go on after a forwarded step-down knows that it
// was refused; one that hears nothing, and reads the record, does not.
func TestStepDownThatTheLeaderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		ageMS   int64
		reads   uint64 // more with every answer
		refused bool
	}{
		"heard after it was asked":       {10, 0, true},
		"not heard since":                {-1, 0, false},
		"heard before it was asked":      {60_000, 0, false},
		"not heard: the record was read": {10, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answers atomic.Uint64
			api := answering(t, func() client.Election {
				return client.Election{
					Election: "orders", Node: "db-a", Role: "follower", Leader: "db-b", Epoch: 3, AgeMS: c.ageMS,
					Requests: client.Requests{Reads: c.reads * answers.Add(1)},
				}
			}, func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(client.Done{Outcome: client.OutcomeForwarded, To: "db-b"})
			})
			within := 4 * time.Second
			if c.refused {
				within = time.Minute
			}
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			var out strings.Builder
			began := time.Now()
			err := stepDownAndWait(ctx, streams{out: &out}, api, (&target{}).another, "orders", "")
			want := "no other leader in time"
			if c.refused {
				want = "db-b was asked, and goes on leading at epoch 3"
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("it ends with %v, want %q", err, want)
			}
			if took := time.Since(began); took < refusedAfter {
				t.Errorf("it ends after %s: a leader may take %s", took, refusedAfter)
			}
		})
	}
}
