package core

// raiseFloor raises an existing floor to an epoch that was observed.
func (t *turn) raiseFloor(e Epoch) {
	if t.Floor.Known {
		t.Floor.Epoch = max(t.Floor.Epoch, e)
	}
}

// createFloor raises the floor, which comes into being if there was none. Only
// a record that concerns this node and an own write known applied may do so
// (design 3.2).
func (t *turn) createFloor(e Epoch) {
	news := !t.Floor.Known
	t.Floor.Known = true
	t.raiseFloor(e)
	if news {
		t.sendHelloToAll()
	}
}

// epochSaved reports whether the epoch of the record is on disk. At one that it
// might forget a holder does not act, neither releases nor renews, and asks for no
// promises once it is fenced: it could carry an earlier holder by its own promises,
// for which nobody waits (decision 0116). To take again is no harm: that leaves the
// record held, and whoever follows waits as for any take.
func (t *turn) epochSaved() bool { return t.Floor.Saved >= t.View.Record.Epoch }

// saveAt says when the floor must be put on disk.
func (t *turn) saveAt() Instant {
	if t.Floor.Op != 0 || !t.Floor.Known || t.Floor.Saved >= t.toSave() {
		return Never
	}
	return t.Floor.Retry
}

// toSave returns what belongs on disk: the floor, and where there is no record the
// epoch about to be created, which nobody has observed yet.
func (t *turn) toSave() Epoch {
	if t.View.AbsentSince == 0 {
		return t.Floor.Epoch
	}
	return max(t.Floor.Epoch, t.View.Anew)
}

func (t *turn) saveFloor() {
	t.Floor.Op = t.op()
	t.do(Action{Kind: DoSave, Op: t.Floor.Op, Epoch: t.toSave()})
}

// floorSaved takes note of what is on disk and gives the acknowledgement that
// waited for it. A promotion whose epoch could not be saved ends: another node may
// be able to lead.
func (t *turn) floorSaved(ev *Event) {
	if ev.Op != t.Floor.Op {
		return
	}
	t.Floor.Op = 0
	if !ev.OK {
		t.Floor.Retry = t.now.Add(t.c.HeartbeatInterval)
		t.tell(ToldFloorUnsaved)
		if t.Phase == Promoting {
			t.fence(BecauseFloorUnsaved)
			t.standBack()
		}
		return
	}
	t.over(ToldFloorUnsaved)
	t.Floor.Saved = max(t.Floor.Saved, ev.Epoch)
	t.payOwed()
}
