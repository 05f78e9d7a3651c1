package bully

import (
	"github.com/electd/electd/arbiter/bully/register"
)

// flush is a set of slots that go to the disk together. While one is being
// written, the votes that come collect in the next: with many elections one wait
// for the disk serves many votes. No vote is answered before its slot, as it was
// then or later, is on disk.
type flush struct {
	keys map[string]bool
	done bool // guarded by voter.writing, as err is
	err  error
}

func newFlush() *flush { return &flush{keys: map[string]bool{}} }

// unsaved returns the flush that a key's slot has yet to be written with; nil if
// the slot is on disk. v.mu is held.
func (v *voter) unsaved(key string) *flush {
	switch {
	case v.next.keys[key]:
		return v.next
	case v.now != nil && v.now.keys[key]:
		return v.now
	}
	return nil
}

// settle returns once a flush is on disk, or has failed: whoever comes first
// writes it.
func (v *voter) settle(f *flush) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	if f.done {
		return f.err
	}
	v.mu.Lock()
	v.now, v.next = f, newFlush()
	slots, err := v.slots(f.keys), v.failed
	v.mu.Unlock()
	if err == nil {
		err = v.disk.saveSlots(slots)
	}
	v.mu.Lock()
	v.now = nil
	v.fail(err)
	v.mu.Unlock()
	f.done, f.err = true, err
	return err
}

// slots returns the slots of keys as they are now. v.mu is held.
func (v *voter) slots(keys map[string]bool) map[string]register.Slot {
	slots := make(map[string]register.Slot, len(keys))
	for key := range keys {
		slots[key] = v.acceptor.Slots[key]
	}
	return slots
}

// saveAll writes what is not on disk yet, the slots of further keys, and then the
// standing: a standing that votes must never lie on a disk whose slots are not
// there yet. v.writing and v.mu are held.
func (v *voter) saveAll(keys ...string) error {
	f := v.next
	v.next = newFlush()
	for _, key := range keys {
		f.keys[key] = true
		v.noteAge(key)
	}
	f.err = v.disk.saveSlots(v.slots(f.keys))
	if f.err == nil {
		f.err = v.disk.saveStanding(v.electorate, v.acceptor.Standing)
	}
	f.done = true
	v.fail(f.err)
	return f.err
}
