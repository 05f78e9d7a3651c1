package core

import "testing"

// TestExplainReleasing: it says when the disk is what a release waits for.
func TestExplainReleasing(t *testing.T) {
	for saved, want := range map[Epoch]string{
		1: "releasing epoch 1: shutting down",
		0: "releasing epoch 1: shutting down; waits for the epoch to be saved in the data directory",
	} {
		u := leadingA(at(12), of("a", "b"))
		u.Phase, u.Because, u.Floor.Saved = Releasing, BecauseShutdown, saved
		if got := Explain(u.c, u.State, u.now); got != want {
			t.Errorf("with %d on disk %q, want %q", saved, got, want)
		}
	}
}
