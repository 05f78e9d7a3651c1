package sim

// happening is one thing that will happen at a true time. Which fields count is
// said at the kind.
type happening struct {
	at   Time
	seq  uint32 // keeps things of one time in the order they were scheduled
	kind happeningKind
	node uint8
	peer uint8
	life uint32 // of the node: what was meant for an earlier session is void
	ref  int32  // into the slab of the kind, or a number
}

type happeningKind uint8

const (
	arrives   happeningKind = iota + 1 // ref: message; node: receiver
	dials                              // node dials peer
	breaks                             // node's connection to peer is found broken
	reaches                            // ref: request arrives at the store
	answers                            // ref: request is answered to node
	saved                              // ref: epoch that is on disk, or -epoch if it failed
	promoted                           // ref: op; peer: 1 if it succeeded
	stopped                            // ref: op; peer: 1 if it succeeded
	works                              // the service looks at its guard
	stores                             // ref: epoch that the service writes to the witness
	starts                             // node's process starts
	wakes                              // node's pause may be over
	strikes                            // ref: fault begins
	subsides                           // ref: fault is over
	leads                              // somebody must lead by now
	calms                              // from here on a healthy group asks the store nothing
	resettles                          // all faults are over
)

// queue is a four-ary heap by time, then sequence.
type queue struct {
	heap []happening
	seq  uint32
}

func (q *queue) push(h happening) {
	q.seq++
	h.seq = q.seq
	q.heap = append(q.heap, h)
	i := len(q.heap) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !before(&h, &q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = h
}

func (q *queue) pop() happening {
	top := q.heap[0]
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for j := first + 1; j < min(first+4, n); j++ {
			if before(&q.heap[j], &q.heap[least]) {
				least = j
			}
		}
		if !before(&q.heap[least], &last) {
			break
		}
		q.heap[i] = q.heap[least]
		i = least
	}
	q.heap[i] = last
	return top
}

func before(a, b *happening) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}
