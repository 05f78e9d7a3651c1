package core

import "slices"

// tell says once what a person should look at, until it is over or something
// else is said.
func (t *turn) tell(r Reason) {
	if t.Trouble != r {
		t.Trouble = r
		t.do(Action{Kind: DoTell, Reason: r, Epoch: t.View.Heard.Epoch})
	}
}

// over takes back what was told last if it is one of these: it is mended.
func (t *turn) over(mended ...Reason) {
	if slices.Contains(mended, t.Trouble) {
		t.Trouble = ""
	}
}
