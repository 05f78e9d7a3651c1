package wire

import "time"

// farewellWithin bounds the wait for peers to have what was sent to them last.
const farewellWithin = 100 * time.Millisecond

// farewell waits a moment until every connected peer has what was sent to it:
// the last word of a node that ends, that it has released, spares the next
// leader a wait. The answer to a ping tells, since a stream keeps its order.
func (t *Transport) farewell() {
	waiting := map[*peer]int64{} // pings sent before
	for _, p := range t.peers {
		if box := p.out.current.Load(); box != nil {
			waiting[p] = p.out.pulse.pings.Load()
			box.putPing()
		}
	}
	for end := time.Now().Add(farewellWithin); len(waiting) > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		for p, before := range waiting {
			pings, pongs := p.out.pulse.pings.Load(), p.out.pulse.pongs.Load()
			if pings > before && pongs >= pings || p.out.current.Load() == nil {
				delete(waiting, p)
			}
		}
	}
}
