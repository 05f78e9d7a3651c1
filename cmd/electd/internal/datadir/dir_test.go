package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path, "db-a", Random)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func election(t *testing.T, d *Dir, name string) *Election {
	t.Helper()
	e, err := d.Election(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// again closes d and opens the directory as the next process would.
func again(t *testing.T, d *Dir) *Dir {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, d.Path())
}

func TestIdentityLastsAndSessionsDoNot(t *testing.T) {
	first := open(t, filepath.Join(t.TempDir(), "a", "b"))
	second := again(t, first)
	if first.Identity() == "" || second.Identity() != first.Identity() {
		t.Errorf("identity %q became %q", first.Identity(), second.Identity())
	}
	if first.Session() == "" || second.Session() == first.Session() {
		t.Errorf("session %q, then %q", first.Session(), second.Session())
	}
	other := open(t, filepath.Join(t.TempDir(), "other"))
	if other.Identity() == first.Identity() {
		t.Error("two directories have one identity")
	}
}

func TestNodeIDAsIdentity(t *testing.T) {
	d, err := Open(t.TempDir(), "db-a", NodeID)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Identity() != "db-a" {
		t.Errorf("identity is %q, not the node's id", d.Identity())
	}
}

func TestOthersCannotLookInside(t *testing.T) {
	path := t.TempDir()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	d := open(t, path)
	e := election(t, d, "orders")
	if err := errors.Join(e.SaveFloor(1), e.Pause(time.Now())); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(path, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFloorNeverFalls(t *testing.T) {
	d := open(t, t.TempDir())
	e := election(t, d, "orders")
	if _, ok := e.Floor(); ok {
		t.Fatal("a new directory has a floor")
	}
	for _, step := range []struct{ save, want core.Epoch }{{7, 7}, {3, 7}, {7, 7}, {1 << 63, 1 << 63}, {8, 1 << 63}} {
		if err := e.SaveFloor(step.save); err != nil {
			t.Fatal(err)
		}
		if got, ok := e.Floor(); !ok || got != step.want {
			t.Errorf("after SaveFloor(%d) the floor is %d (%v), want %d", step.save, got, ok, step.want)
		}
	}
	if _, ok := election(t, d, "invoices").Floor(); ok {
		t.Error("one election's floor became another's")
	}
	if got, ok := election(t, again(t, d), "orders").Floor(); !ok || got != 1<<63 {
		t.Errorf("after a restart the floor is %d (%v)", got, ok)
	}
}

func TestPauseLastsAcrossARestart(t *testing.T) {
	now := time.Now()
	d := open(t, t.TempDir())
	e := election(t, d, "orders")
	if _, paused := e.Paused(now); paused {
		t.Fatal("paused from the start")
	}
	if err := e.Pause(now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	e = election(t, again(t, d), "orders")
	if until, paused := e.Paused(now); !paused || !until.Equal(now.Add(time.Hour)) {
		t.Errorf("after a restart: paused %v until %s", paused, until)
	}
	if _, paused := e.Paused(now.Add(time.Hour)); paused {
		t.Error("the pause does not end by itself")
	}
	if err := errors.Join(e.Resume(), e.Resume()); err != nil {
		t.Fatal(err)
	}
	if _, paused := election(t, again(t, e.dir), "orders").Paused(now); paused {
		t.Error("paused after Resume")
	}
}

func TestSessionsAreRecordedNewestLast(t *testing.T) {
	d := open(t, t.TempDir())
	var want []string
	for range keptSessions + 3 {
		want = append(want, d.Session())
		tail := want[max(0, len(want)-keptSessions):]
		if got := d.Sessions(); !slices.Equal(got, tail) {
			t.Fatalf("sessions %v, want %v", got, tail)
		}
		d = again(t, d)
	}
}

func TestPreviousIsTheSessionJustBefore(t *testing.T) {
	d := open(t, t.TempDir())
	if id, dead, err := election(t, d, "orders").Previous(); id != "" || dead || err != nil {
		t.Errorf("a new directory has a previous session: %q %v %v", id, dead, err)
	}
	first := d.Session()
	d = again(t, d)
	id, dead, err := election(t, d, "orders").Previous()
	if id != first || !dead || err != nil {
		t.Errorf("previous is %q %v %v, want %q, dead", id, dead, err, first)
	}
	second := d.Session()
	if id, _, _ := election(t, again(t, d), "orders").Previous(); id != second {
		t.Errorf("previous is %q, want %q", id, second)
	}
}

// A lock that is free proves nothing about a program of another kernel, or of
// the directory that this one was copied from.
func TestPreviousNeedsTheSameKernelAndIdentity(t *testing.T) {
	for name, change := range map[string]func(*session){
		"another boot":     func(s *session) { s.Boot = "another" },
		"unknown boot":     func(s *session) { s.Boot = "" },
		"another identity": func(s *session) { s.Identity = "another" },
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, t.TempDir())
			list := slices.Clone(d.sessions)
			change(&list[0])
			if err := save(filepath.Join(d.Path(), "sessions"), sessionsFile{stamped{format, "sessions", ""}, list}); err != nil {
				t.Fatal(err)
			}
			if id, dead, err := election(t, again(t, d), "orders").Previous(); id != "" || dead || err != nil {
				t.Errorf("Previous returns %q %v %v", id, dead, err)
			}
		})
	}
}

// A directory copied without its identity is another node's: the sessions in it
// are not its own.
func TestLostIdentityForgetsSessions(t *testing.T) {
	d := open(t, t.TempDir())
	election(t, d, "orders")
	if err := os.Remove(filepath.Join(d.Path(), "identity")); err != nil {
		t.Fatal(err)
	}
	next := again(t, d)
	if next.Identity() == d.Identity() {
		t.Fatal("the identity came back")
	}
	if id, _, _ := election(t, next, "orders").Previous(); id != "" {
		t.Errorf("previous is %q, a session of another identity", id)
	}
}

func TestOtherNodesDirectory(t *testing.T) {
	d := open(t, t.TempDir())
	d.Close()
	_, err := Open(d.Path(), "db-b", Random)
	var other *OtherNodeError
	if !errors.As(err, &other) || other.Owner != "db-a" || other.Node != "db-b" {
		t.Fatalf("got %v", err)
	}
	open(t, d.Path()) // and the refusal left no lock behind
}

func TestElectionNamesStayInside(t *testing.T) {
	d := open(t, t.TempDir())
	for _, name := range []string{"", ".", "..", "../x", "a/b", "/"} {
		if _, err := d.Election(name); err == nil {
			t.Errorf("election %q was accepted", name)
		}
	}
}

func TestSlots(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	var slots []*Dir
	for _, want := range []string{"host", "host-2", "host-3"} {
		d, err := OpenSlot(state, "host")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if d.Node() != want || d.Path() != filepath.Join(state, want) {
			t.Errorf("slot %q in %s, want %q", d.Node(), d.Path(), want)
		}
		slots = append(slots, d)
	}
	slots[1].Close()
	d, err := OpenSlot(state, "host")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Node() != "host-2" || d.Identity() != slots[1].Identity() {
		t.Errorf("the freed slot came back as %q with another identity", d.Node())
	}
}

func TestNodeNames(t *testing.T) {
	for given, want := range map[string]string{
		"web-1.example": "web-1.example", "Müller's Mac": "M-ller-s-Mac", "-x-": "x", "": "host", "…": "host",
		strings.Repeat("a", 80): strings.Repeat("a", 60),
	} {
		if got := nodeName(given); got != want {
			t.Errorf("nodeName(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestStateDir(t *testing.T) {
	t.Setenv("HOME", "/home/x")
	t.Setenv("XDG_STATE_HOME", "")
	if dir, err := StateDir(); err != nil || dir != "/home/x/.local/state/electd" {
		t.Errorf("%s %v", dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "/state")
	if dir, err := StateDir(); err != nil || dir != "/state/electd" {
		t.Errorf("%s %v", dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative") // to be ignored, says its specification
	if dir, err := StateDir(); err != nil || dir != "/home/x/.local/state/electd" {
		t.Errorf("%s %v", dir, err)
	}
}

func TestElectionIsOpenedOnce(t *testing.T) {
	d := open(t, t.TempDir())
	first := election(t, d, "orders")
	if election(t, d, "orders") != first {
		t.Error("asked twice, the election was opened twice")
	}
}
