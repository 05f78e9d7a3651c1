package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/electd/electd/core"
)

func (x *examination) missingIsAbsent(ctx context.Context) (observation, error) {
	s, err := x.read(ctx, 1, x.missing)
	switch {
	case errors.Is(err, core.ErrDenied):
		return warned("allow reading keys that do not exist; a new cluster cannot start without", "reading a key that does not exist is denied: %v", err)
	case err != nil:
		return observation{}, err
	case s.Version != "" || s.Record != nil:
		return warned("remove that key", "%s, which no probe leaves behind, exists: a swap on a missing key created it once", x.missing)
	}
	return passed("a key never written reads as absent")
}

// createOnce lets all writers create the key at once.
func (x *examination) createOnce(ctx context.Context) (observation, error) {
	if !x.fresh {
		return noted("if the arbiter may delete under its probe key, this is examined each time",
			"not examined: the key exists from an earlier probe and cannot be removed")
	}
	r, err := x.race(ctx, "")
	if err != nil {
		return observation{}, err
	}
	if r.broken != "" {
		return refused("%d creates at once: %s", x.Writers, r.broken)
	}
	if r.stored.Version == "" {
		return warned("creating a record may need several attempts", "%d creates at once, none was applied: %s", x.Writers, r)
	}
	return r.fine("create")
}

// present returns what the key holds now, creating it if need be.
func (x *examination) present(ctx context.Context) (core.Snapshot, error) {
	now, err := x.read(ctx, 0, x.key)
	if err != nil || now.Version != "" {
		return now, err
	}
	record := x.nextBody()
	v, err := x.write(ctx, 0, "", record)
	return core.Snapshot{Version: v, Record: record}, err
}

func (x *examination) secondCreateRefused(ctx context.Context) (observation, error) {
	if _, err := x.present(ctx); err != nil {
		return observation{}, err
	}
	applied, said, err := x.tryForbidden(ctx, 1, x.key, "")
	switch {
	case err != nil:
		return observation{}, err
	case applied && said != nil:
		return refused("a create on a key that exists replaced it, although it was answered: %v", said)
	case applied:
		return refused("a create on a key that exists replaced it: the condition is ignored")
	case !errors.Is(said, core.ErrConflict):
		return warned("each loser costs a read", "a create on a key that exists was not applied, but answered: %v", said)
	}
	return passed("a create on a key that exists was refused")
}

func (x *examination) swapApplies(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	for n := range 2 { // the second has the form of ETag that the first has taught
		record := x.nextBody()
		v, err := x.write(ctx, 0, now.Version, record)
		switch {
		case err != nil:
			return observation{}, err
		case v == now.Version:
			return refused("swap %d with other bytes left the version as it was, %s: a stale swap could not be told", n+1, v)
		}
		now = core.Snapshot{Version: v, Record: record}
	}
	return passed("a swap on the present version was applied and gave a new version")
}

func (x *examination) staleSwapRefused(ctx context.Context) (observation, error) {
	old, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	if _, err := x.write(ctx, 0, old.Version, x.nextBody()); err != nil {
		return observation{}, err
	}
	for client := range clients { // the writer's own connection too
		applied, said, err := x.tryForbidden(ctx, client, x.key, old.Version)
		switch {
		case err != nil:
			return observation{}, err
		case applied && said != nil:
			return refused("a swap on an old version was applied, although it was answered: %v", said)
		case applied:
			return refused("a swap on an old version was applied: the condition is ignored")
		case !errors.Is(said, core.ErrConflict):
			return warned("each loser costs a read", "a swap on an old version was not applied, but answered: %v", said)
		}
	}
	return passed("swaps on an old version were refused")
}

// swapOnce lets all writers swap the same version at once, several times.
func (x *examination) swapOnce(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	var last raced
	for round := range x.Rounds {
		r, err := x.race(ctx, now.Version)
		if err != nil {
			return observation{}, err
		}
		if r.broken != "" {
			return refused("%d swaps of one version at once, round %d: %s", x.Writers, round+1, r.broken)
		}
		now = r.stored
		last = last.plus(r)
	}
	if last.idle > 0 {
		return warned("a challenge may need several attempts", "%d rounds, in %d of them no swap was applied: %s", x.Rounds, last.idle, last)
	}
	return last.fine("swap")
}

// readsAreFresh writes with one client and reads with the others, and takes the
// latencies of both.
func (x *examination) readsAreFresh(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	for n := range x.Samples {
		record := x.nextBody()
		if err := x.pause(ctx); err != nil {
			return observation{}, err
		}
		began, before := time.Now(), x.requests.Load()
		v, err := x.write(ctx, n%clients, now.Version, record)
		if err != nil {
			return observation{}, err
		}
		if x.requests.Load() == before+1 { // at the first attempt
			x.writes = append(x.writes, time.Since(began))
		}

		began = time.Now()
		got, err := x.readMine(ctx, (n+1)%clients)
		if err != nil {
			return observation{}, err
		}
		x.reads = append(x.reads, time.Since(began))
		if string(got.Record) != string(record) || got.Version != v {
			return refused("after write %d of %d another client read %s: reads are stale", n+1, x.Samples, describe(got, record, v))
		}
		now = got
	}
	return passed("%d times a write was read by another client at once", x.Samples)
}

// describe says what was read instead of what was written.
func describe(got core.Snapshot, want []byte, version core.Version) string {
	switch {
	case got.Version == "":
		return "that the key is absent"
	case string(got.Record) == string(want):
		return fmt.Sprintf("its bytes, but version %s instead of %s", got.Version, version)
	case got.Version == version:
		return "its version, but other bytes"
	}
	return "an earlier record"
}

func (x *examination) swapOnMissingRefused(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	applied, said, err := x.tryForbidden(ctx, 1, x.missing, now.Version)
	switch {
	case errors.Is(err, core.ErrDenied):
		return warned("allow reading keys that do not exist", "not examined: %v", err)
	case err != nil:
		return observation{}, err
	case applied:
		x.strayed = true
		return warned("never delete a lease record while a node runs", "a swap that expected a version created the missing key")
	case !errors.Is(said, core.ErrConflict):
		return warned("each loser costs a read", "a swap on a missing key was not applied, but answered: %v", said)
	}
	return passed("a swap on a missing key was refused")
}

func (x *examination) equalBytes(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	record := x.nextBody()
	first, err := x.write(ctx, 0, now.Version, record)
	if err != nil {
		return observation{}, err
	}
	if err := x.pause(ctx); err != nil {
		return observation{}, err
	}
	second, err := x.swap(ctx, 0, x.key, first, record)
	if err != nil {
		return noted("", "writing the same bytes again: %v", err)
	}
	if first == second {
		return passed("the same bytes have the same version: versions are digests")
	}
	return passed("the same bytes have a new version each time")
}

func (x *examination) holdsLarge(ctx context.Context) (observation, error) {
	now, err := x.present(ctx)
	if err != nil {
		return observation{}, err
	}
	record := append([]byte(x.id), []byte(strings.Repeat("\x00\r\n\xff\x7f\"<&", (64<<10)/8))...)[:64<<10]
	v, err := x.write(ctx, 0, now.Version, record)
	if errors.Is(err, core.ErrInvalid) {
		return warned("records of many elections' electors may not fit", "64 KiB were refused: %v", err)
	}
	if err != nil {
		return observation{}, err
	}
	got, err := x.readMine(ctx, 1)
	if err != nil {
		return observation{}, err
	}
	if !bytes.Equal(got.Record, record) {
		return refused("of 64 KiB with all kinds of bytes %d came back, not the same", len(got.Record))
	}
	// Leave a small body behind: a later probe on the same key reads it.
	_, err = x.write(ctx, 0, v, x.nextBody())
	if err != nil {
		return observation{}, err
	}
	return passed("64 KiB came back as they were written")
}
