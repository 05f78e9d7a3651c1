package bully

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/electd/electd/arbiter/bully/register"
)

func slot(n int, record string) register.Slot {
	b := register.Ballot{Counter: uint64(n), Writer: "w"}
	return register.Slot{Promised: b, Accepted: b, Value: register.Value{Version: fmt.Sprint("v", n), Record: record}}
}

// reopened returns what a log holds for who opens it next.
func reopened(t *testing.T, path string) map[string]register.Slot {
	t.Helper()
	l, err := openSlotLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	return l.live
}

// The log keeps the last slot of every key, however often it is written anew.
func TestSlotLogKeepsTheLastOfEachKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "slots")
	l, err := newSlotLog(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]register.Slot{}
	var largest int64
	for n := range 300 {
		some := map[string]register.Slot{}
		for range 1 + rand.IntN(3) {
			key := fmt.Sprint("key ", rand.IntN(5))
			some[key] = slot(n, strings.Repeat("\n\"x\" ", rand.IntN(4000)))
			want[key] = some[key]
		}
		if err := l.save(some); err != nil {
			t.Fatal(err)
		}
		largest = max(largest, l.size)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if largest < spare || largest > 3*spare {
		t.Errorf("the log grew to %d bytes", largest)
	}
	if got := reopened(t, path); !reflect.DeepEqual(got, want) {
		t.Errorf("%d keys, not what was saved of %d", len(got), len(want))
	}
}

// Wherever a crash cuts the last write off, what was saved before is there.
func TestSlotLogSurvivesATornWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "slots")
	l, err := newSlotLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.save(map[string]register.Slot{"k": slot(1, "one")}); err != nil {
		t.Fatal(err)
	}
	kept := l.size
	if err := l.save(map[string]register.Slot{"k": slot(2, "two")}); err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := kept; cut <= int64(len(whole)); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := "one"
		if cut >= int64(len(whole))-1 { // all but the line break counts
			want = "two"
		}
		if got := reopened(t, path)["k"].Value.Record; got != want {
			t.Fatalf("cut after %d of %d bytes: %q, want %q", cut, len(whole), got, want)
		}
		if got := reopened(t, path)["k"].Value.Record; got != want { // what was cut off is gone for good
			t.Fatalf("cut after %d bytes, opened twice: %q", cut, got)
		}
	}
}

// However many vote at once, no answer comes before its vote is on disk: the log,
// read at that moment, has it.
func TestEveryAnswerIsOnDisk(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.nodes["a"].voter
	standing := v.status().Standing
	path := filepath.Join(c.dir, "a", "slots")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			key := fmt.Sprint("key ", n%7)
			for round := range 30 {
				ballot := register.Ballot{Counter: uint64(1 + round), Writer: fmt.Sprint("w", n)}
				answer := v.vote(register.Request{
					Kind: register.Accept, Electorate: v.electorate.Hash(), Founding: standing.Founding, Key: key,
					Ballot: ballot, Value: register.Value{Version: fmt.Sprint(n, ".", round), Record: "r"},
				})
				if answer.Kind != register.Accepted {
					continue // outbid
				}
				content, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					return
				}
				l := slotLog{path: path, live: map[string]register.Slot{}}
				if err := l.read(content); err != nil {
					t.Error(err)
				}
				if on := l.live[key].Accepted; on.Below(ballot) {
					t.Errorf("%s: ballot %v was accepted, and %v is on disk", key, ballot, on)
				}
			}
		})
	}
	all.Wait()
}

// A disk that fails fails every vote under way, and all later ones.
func TestFailingDiskEndsAllVotes(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.nodes["a"].voter
	if err := v.disk.log.file.Close(); err != nil { // every write fails from now on
		t.Fatal(err)
	}
	vote := func(n int, kind register.RequestKind) register.Answer {
		return v.vote(register.Request{
			Kind: kind, Electorate: v.electorate.Hash(), Founding: v.status().Standing.Founding, Key: fmt.Sprint("key ", n),
			Ballot: register.Ballot{Counter: 9, Writer: "w"},
		})
	}
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			if answer := vote(n, register.Prepare); answer.Refusal != register.Failing {
				t.Errorf("a vote that is not on disk is answered %+v", answer)
			}
		})
	}
	all.Wait()
	if answer := vote(0, register.Query); answer.Refusal != register.Failing {
		t.Errorf("a voter whose disk failed answers %+v", answer)
	}
	v.disk.log.file = nil
	c.mustSwap("b", lease, "", "one") // the others go on
}

// Whatever is in the file, it is read as slots that were saved, or refused: as it
// is, and with checksums that fit its lines, which no fuzzer would hit upon.
func FuzzSlotLog(f *testing.F) {
	whole, err := encodeLog(map[string]register.Slot{"k": slot(1, "one"), "l": slot(2, "two")})
	if err != nil {
		f.Fatal(err)
	}
	var bodies []byte
	for line := range bytes.Lines(whole) {
		_, body, _ := bytes.Cut(line, []byte(" "))
		bodies = append(bodies, body...)
	}
	f.Add(whole, false)
	f.Add(whole[:len(whole)-9], false)
	f.Add([]byte{}, false)
	f.Add([]byte("\n"), false)
	f.Add(bodies, true)
	f.Add([]byte("{}\n"), true)
	f.Add([]byte("null\n"), true)
	f.Fuzz(func(t *testing.T, content []byte, fits bool) {
		if fits {
			var summed []byte
			for line := range bytes.Lines(content) {
				body := bytes.TrimSuffix(line, []byte("\n"))
				summed = fmt.Appendf(summed, "%s %s\n", checksum(body), body)
			}
			content = summed
		}
		l := slotLog{path: "slots", live: map[string]register.Slot{}}
		if err := l.read(content); err != nil {
			if !strings.Contains(err.Error(), "slots") {
				t.Fatalf("%v does not name the file", err)
			}
			return
		}
		again, err := encodeLog(l.live)
		if err != nil {
			t.Fatal(err)
		}
		second := slotLog{path: "slots", live: map[string]register.Slot{}}
		if err := second.read(again); err != nil || !reflect.DeepEqual(l.live, second.live) {
			t.Errorf("read as %+v, and then as %+v, %v", l.live, second.live, err)
		}
	})
}
