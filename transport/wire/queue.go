package wire

import "github.com/electd/electd/core"

// maxQueue is how many messages wait for one peer at most. More than that
// means that the peer takes nothing; then only the newest are of any use.
const maxQueue = 16384

// keptSlots is how much room for messages is kept between bursts.
const keptSlots = 4096

// queue holds what is to be sent next, in order, bounded. A message takes the
// place of an earlier one that says the same kind of thing: to the receiver only
// the newest counts, and it may never get the older one anyway.
type queue struct {
	limit  int            // of live messages
	items  []core.Message // Kind 0: taken out
	places map[place]int  // of the live ones in items
	oldest int            // nothing live before this index
}

// place is what two messages have in common if the newer one stands for both.
type place struct {
	kind     core.MessageKind
	election string
	asks     bool // of a Hello
	answers  bool // of a Hello
}

// placeOf keeps a Hello that asks, one that answers and one that does neither
// apart: each makes its receiver do something else, and core may say two of them
// at once (decision 0115). Of two that are alike the newer says what holds now.
//
// Nothing else needs it. Of Released, Busy, Stale and HandOver, too, the newer says
// what holds now. Heartbeats, and acknowledgements, do replace each other whether or
// not they ask or promise: the newest round is the one whose answer is waited for,
// and the round after it makes up for what is lost.
func placeOf(m *core.Message) place {
	at := place{kind: m.Kind, election: m.Election}
	if m.Kind == core.Hello {
		at.asks, at.answers = m.Asking, m.Holder != ""
	}
	return at
}

// push adds m and returns how many earlier messages it cost.
func (q *queue) push(m core.Message) (dropped int) {
	at := placeOf(&m)
	if i, ok := q.places[at]; ok {
		q.items[i] = core.Message{}
		dropped++
	} else if len(q.places) >= q.limit {
		q.dropOldest()
		dropped++
	}
	if len(q.items) >= 2*q.limit {
		q.compact()
	}
	if q.places == nil {
		q.places = make(map[place]int)
	}
	q.places[at] = len(q.items)
	q.items = append(q.items, m)
	return dropped
}

func (q *queue) dropOldest() {
	for q.items[q.oldest].Kind == 0 {
		q.oldest++
	}
	m := &q.items[q.oldest]
	delete(q.places, placeOf(m))
	*m = core.Message{}
}

// compact closes the gaps of what was taken out.
func (q *queue) compact() {
	kept := q.items[:0]
	for _, m := range q.items {
		if m.Kind != 0 {
			q.places[placeOf(&m)] = len(kept)
			kept = append(kept, m)
		}
	}
	clear(q.items[len(kept):])
	q.items, q.oldest = kept, 0
}

// drain appends all that is queued to buffer and empties the queue.
func (q *queue) drain(buffer []core.Message) []core.Message {
	for _, m := range q.items {
		if m.Kind != 0 {
			buffer = append(buffer, m)
		}
	}
	if cap(q.items) > keptSlots {
		q.items = nil // a burst is over: give its memory back
	} else {
		clear(q.items)
		q.items = q.items[:0]
	}
	clear(q.places)
	q.oldest = 0
	return buffer
}
