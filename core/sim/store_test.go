package sim

import (
	"testing"

	"github.com/electd/electd/core"
)

// TestALateWriteOfADeadSessionLands checks that a write outlives the session that
// made it, whatever is asked of the store before it lands.
func TestALateWriteOfADeadSessionLands(t *testing.T) {
	w := newWorld(NewPlan(1).Without(everyFault()), nil)
	n := w.nodes[0]
	w.start(n)
	late, r := w.requests.add()
	*r = request{
		life: n.life, write: true, arrives: true, late: true, intent: core.Take,
		record: core.Record{Epoch: 1, Revision: 1, State: core.Held, Session: n.config.Session},
	}
	w.killMachine(n)
	w.happen(&happening{kind: answers, life: n.life, ref: late})

	other, _ := w.requests.add()
	if other == late {
		t.Fatal("another request takes the place of one that is still on its way")
	}
	w.happen(&happening{kind: reaches, ref: late})
	if !w.store.present || w.store.record.Session != n.config.Session {
		t.Errorf("the write did not land: %+v", w.store.record)
	}
	if w.seen[UnknownAppliedLate] != 1 {
		t.Errorf("it is not counted as a late one")
	}
	if next, _ := w.requests.add(); next != late {
		t.Errorf("its place is not free after it landed: %d, want %d", next, late)
	}
}
