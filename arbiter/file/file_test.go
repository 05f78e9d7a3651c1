package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

const key = "orders/lease.json"

// open returns an arbiter on dir that the test closes.
func open(t *testing.T, dir string) *Arbiter {
	t.Helper()
	a, err := New(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// mustSwap stores body on top of expected and returns the new version.
func mustSwap(t *testing.T, a *Arbiter, expected core.Version, body string) core.Version {
	t.Helper()
	v, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key, Expected: expected, Record: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// mustRead returns what is stored.
func mustRead(t *testing.T, a *Arbiter) core.Snapshot {
	t.Helper()
	s, err := a.Read(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDirectoryIsMadeByTheFirstWriteOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	a := open(t, dir)
	if s := mustRead(t, a); s.Version != "" || s.Record != nil {
		t.Fatalf("read %+v before any write", s)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("New or Read made the directory: %v", err)
	}
	mustSwap(t, a, "", "one")
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("directory after a write: %v, %v", info, err)
	}
}

func TestNewRefusesAWrongDirectory(t *testing.T) {
	plainFile := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plainFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config    Config
		attribute string
		says      string
	}{
		"none":             {Config{}, "dir", "missing"},
		"relative":         {Config{Dir: "records"}, "dir", "absolute"},
		"a file":           {Config{Dir: plainFile}, "dir", "not a directory"},
		"below a file":     {Config{Dir: plainFile + "/x"}, "dir", "not a directory"},
		"negative timeout": {Config{Dir: t.TempDir(), Timeout: -1}, "timeout", "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), c.config)
			var attribute *core.AttributeError
			if !errors.As(err, &attribute) || !errors.Is(err, core.ErrInvalid) {
				t.Fatalf("got %v", err)
			}
			if attribute.Attribute != c.attribute || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q", err)
			}
		})
	}
}

func TestWhatIsNoRecordIsCorruptAndStays(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"a directory": func(path string) error { return os.MkdirAll(path, 0o700) },
		"too large":   func(path string) error { return os.WriteFile(path, make([]byte, maxRecord+1), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			a := open(t, t.TempDir())
			file, err := fileName(key)
			if err != nil {
				t.Fatal(err)
			}
			if err := plant(filepath.Join(a.dir, file)); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Read(t.Context(), key); !errors.Is(err, core.ErrCorrupt) {
				t.Errorf("read: %v", err)
			}
			_, err = a.CompareAndSwap(t.Context(), core.Swap{Key: key, Record: []byte("new")})
			if core.WriteOutcome(err) != core.Corrupt {
				t.Errorf("create on top: %v", err)
			}
		})
	}
}

func TestLimitsAreRefused(t *testing.T) {
	a := open(t, t.TempDir())
	for name, swap := range map[string]core.Swap{
		"record": {Key: key, Record: make([]byte, maxRecord+1)},
		"key":    {Key: strings.Repeat("k", 251)},
		"no key": {},
	} {
		if _, err := a.CompareAndSwap(t.Context(), swap); core.WriteOutcome(err) != core.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := a.Read(t.Context(), ""); core.ReadOutcome(err) != core.Invalid {
		t.Errorf("reading no key: %v", err)
	}
}

func TestFileNames(t *testing.T) {
	for key, want := range map[string]string{
		"orders/lease.json": "orders%2flease.json",
		"Orders":            "%4frders",
		".":                 "%2e",
		"..":                "%2e.",
		"a~lock":            "a%7elock",
		"a%2fb":             "a%252fb",
		"ü":                 "%c3%bc",
	} {
		if got, err := fileName(key); err != nil || got != want {
			t.Errorf("fileName(%q) = %q, %v; want %q", key, got, err, want)
		}
	}
}

func TestAgeIsTheTruthOrUnknown(t *testing.T) {
	a := open(t, t.TempDir())
	before := time.Now()
	mustSwap(t, a, "", "one")
	time.Sleep(50 * time.Millisecond)
	s := mustRead(t, a)
	if s.Age > time.Since(before) {
		t.Fatalf("age %v, but it was written %v ago", s.Age, time.Since(before))
	}
	if s.Age < 50*time.Millisecond {
		t.Errorf("age %v after 50ms: is the stamp not set?", s.Age)
	}
	if off := time.Since(s.StoreTime); off < 0 || off > time.Second {
		t.Errorf("store time is %v ago", off)
	}

	// The wall clock's steps do not count: the file's date is moved a day back.
	path := filepath.Join(a.dir, "orders%2flease.json")
	yesterday := before.Add(-24 * time.Hour)
	if err := os.Chtimes(path, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	if s := mustRead(t, a); s.Age > time.Since(before) {
		t.Errorf("age %v after the wall clock's step", s.Age)
	}

	// A copy has no stamp, and what is not known is zero.
	record, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, record, 0o600)); err != nil {
		t.Fatal(err)
	}
	if s := mustRead(t, a); s.Age != 0 {
		t.Errorf("age %v without a stamp", s.Age)
	}
}

func TestWatchTellsOfAnotherOnesWrite(t *testing.T) {
	dir := t.TempDir()
	watcher, writer := open(t, dir), open(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hints, err := watcher.Watch(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	v := mustSwap(t, writer, "", "one")
	select {
	case s := <-hints:
		if s.Version != v || string(s.Record) != "one" {
			t.Errorf("hint %+v", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no hint")
	}
	cancel()
	for range hints { // ends when the channel is closed
	}
}

func TestNothingWorksAfterClose(t *testing.T) {
	a := open(t, t.TempDir())
	hints, err := a.Watch(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if _, open := <-hints; open {
		t.Error("the watch outlived Close")
	}
	if _, err := a.Read(t.Context(), key); core.ReadOutcome(err) != core.Unavailable {
		t.Errorf("read: %v", err)
	}
	if _, err := a.CompareAndSwap(t.Context(), core.Swap{Key: key}); core.WriteOutcome(err) != core.Unavailable {
		t.Errorf("write: %v", err)
	}
}

// A record that cannot be read for a while ends no watch.
func TestWatchOutlivesAnUnreadableRecord(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir)
	mustSwap(t, a, "", "one")
	hints, err := a.Watch(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	name, err := fileName(key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * watchEvery)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(10 * time.Second); ; {
		select {
		case s, ok := <-hints:
			if !ok {
				t.Fatal("the watch has ended")
			}
			if string(s.Record) == "two" {
				return
			}
		case <-deadline:
			t.Fatal("the mended record is not told of")
		}
	}
}
