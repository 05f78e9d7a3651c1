package agent

import (
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
)

// attempts folds takes that come to nothing. While the arbiter cannot decide, a
// candidate tries for hours, each time alike: the first is told, the others are
// not, until something else happens.
type attempts struct {
	told attempt     // the last one told; zero if something else has happened since
	open node.Change // how the take under way began
	held bool        // that was not told
}

// attempt is what a take that came to nothing looks like from outside.
type attempt struct {
	from          core.Phase
	epoch         core.Epoch
	because, lost core.Reason
}

// next takes a transition and returns those to be told now, in their order.
func (a *attempts) next(c node.Change) []node.Change {
	switch {
	case c.To == core.Taking:
		a.open = c
		a.held = a.told.from == c.From && a.told.epoch == c.Epoch && a.told.because == c.Reason
		if a.held {
			return nil
		}
		return []node.Change{c}
	case c.From == core.Taking:
		return a.ended(c)
	}
	a.told = attempt{}
	return []node.Change{c}
}

func (a *attempts) ended(c node.Change) []node.Change {
	var this attempt
	if c.To == a.open.From {
		this = attempt{c.To, a.open.Epoch, a.open.Reason, c.Reason}
	}
	again := a.held && this == a.told
	tell := []node.Change{c}
	if a.held {
		tell = []node.Change{a.open, c}
	}
	a.told, a.held = this, false
	if again {
		return nil
	}
	return tell
}
