// Package sim judges the register core: an explorer that tries every order of
// events within a stated bound, a seeded simulator for longer runs, and, as the
// contrast, the merge rule of Habitat's gossip elections. Nothing but tests and
// the documentation's numbers use it.
package sim

import (
	"fmt"

	"github.com/electd/electd/arbiter/bully/register"
)

// key is the one key that everything here is about.
const key = "e/lease.json"

// Write is one swap: Tag is the version it stores, Parent the one it expects.
type Write struct{ Tag, Parent string }

// history is what the outside has seen of a register, and the rule it is judged
// by: the versions that any caller was told of lie on one line of descent, no
// call sees less than was known when it began, and what was reported as not
// applied never appears.
type history struct {
	writes []Write
	last   string // the youngest version any caller was told of
	dead   uint16 // writes that were reported as certainly not applied, a bit each
}

func (h *history) bit(tag string) uint16 {
	for i, w := range h.writes {
		if w.Tag == tag {
			return 1 << i
		}
	}
	return 0
}

func (h *history) parent(tag string) string {
	for _, w := range h.writes {
		if w.Tag == tag {
			return w.Parent
		}
	}
	return ""
}

func (h *history) depth(tag string) int {
	depth := 0
	for tag != "" {
		depth++
		tag = h.parent(tag)
	}
	return depth
}

func (h *history) descends(tag, from string) bool {
	for tag != from && tag != "" {
		tag = h.parent(tag)
	}
	return tag == from
}

// told records the result of an operation that began when since was known.
func (h *history) told(w register.Want, r register.Result, since string) error {
	swap := w.Value != register.Value{}
	switch r.Outcome {
	case register.Unknown:
		return nil
	case register.Unavailable:
		if swap {
			return h.bury(w.Value.Version)
		}
		return nil
	case register.Mismatch:
		if r.Value.Version == w.Expected {
			return fmt.Errorf("swap %s refused though %q was stored", w.Value.Version, w.Expected)
		}
		if err := h.bury(w.Value.Version); err != nil {
			return err
		}
	case register.Stored:
		if h.depth(r.Value.Version) <= h.depth(since) {
			return fmt.Errorf("swap %s applied below %s, which was known before", r.Value.Version, since)
		}
	}
	return h.saw(r.Value.Version, since)
}

func (h *history) saw(tag, since string) error {
	for t := tag; t != ""; t = h.parent(t) {
		if h.dead&h.bit(t) != 0 {
			return fmt.Errorf("%s was reported as not applied, and is stored", t)
		}
	}
	switch {
	case !h.descends(tag, since):
		return fmt.Errorf("saw %q after %q had been seen", tag, since)
	case h.descends(tag, h.last):
		h.last = tag
	case !h.descends(h.last, tag):
		return fmt.Errorf("%q and %q were both seen, and neither descends from the other", tag, h.last)
	}
	return nil
}

func (h *history) bury(tag string) error {
	if h.descends(h.last, tag) {
		return fmt.Errorf("%s was reported as not applied, and had been seen", tag)
	}
	h.dead |= h.bit(tag)
	return nil
}
