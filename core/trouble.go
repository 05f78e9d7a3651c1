package core

// Troubles is a set of what a person should look at.
type Troubles uint16

// gravest are the reasons that a set may hold, the gravest first.
var gravest = [...]Reason{
	ToldStopFailed, ToldTwinSession, ToldFloorUnsaved, ToldRecordCorrupt, ToldFormatNewer, ToldRecordGone,
	ToldRolledBack, ToldDenied, ToldInvalid, ToldStranger, ToldTwinIdentity,
}

func trouble(r Reason) Troubles {
	for i, known := range gravest {
		if known == r {
			return 1 << i
		}
	}
	return 0
}

// Gravest returns the gravest of a set; empty if all is well.
func (s Troubles) Gravest() Reason {
	for i, r := range gravest {
		if s&(1<<i) != 0 {
			return r
		}
	}
	return ""
}

// tell says what a person should look at, once until it is over.
func (t *turn) tell(r Reason) {
	if t.Trouble&trouble(r) != 0 {
		return
	}
	t.Trouble |= trouble(r)
	t.do(Action{Kind: DoTell, Reason: r, Epoch: t.View.Heard.Epoch})
}

// over takes back what is mended.
func (t *turn) over(mended ...Reason) {
	for _, r := range mended {
		t.Trouble &^= trouble(r)
	}
}
