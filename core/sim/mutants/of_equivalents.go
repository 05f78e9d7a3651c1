package mutants

// ofEquivalents breaks what is there for speed, for people or twice over: none of
// it may cost safety or liveness.
func ofEquivalents() []Mutant {
	return []Mutant{
		{
			Name: "rounds-counted-in-any-order", Rule: "3.3",
			Breaks: "lets an acknowledgement of an older round replace a newer one's",
			Patches: []Patch{{"round.go",
				"if r.Asking && m.Asking && r.Sent > peer.Sent {",
				"if r.Asking && m.Asking {"}},
			Equivalent: "an older round only shortens what is counted",
		},
		{
			Name: "no-fence-on-stale", Rule: "3.7",
			Breaks: "goes on acting on authority it has when an elector says that its epoch is over",
			Patches: []Patch{{"fence.go",
				"\tt.shut(BecauseStale)\n",
				""}},
			Equivalent: "whoever leads at a higher epoch has waited out this authority",
		},
		{
			Name: "floor-not-in-the-take", Rule: "3.5",
			Breaks: "takes above the record's epoch alone",
			Patches: []Patch{{"challenge.go",
				"r.Epoch = max(t.View.Record.Epoch, t.View.Top.Epoch, t.Floor.Epoch, t.peersFloor()) + 1",
				"r.Epoch++"}},
			Equivalent: "without deletion and rollback the record's epoch is the highest there is",
			Without:    []string{"deletion", "store-delete", "store-rollback"},
		},
		{
			Name: "reads-not-discarded", Rule: "3.6",
			Breaks: "lets a read that started before a write resolve it",
			Patches: []Patch{{"read.go",
				"\tif t.Read.Op != 0 {\n\t\tt.Read.Op = 0\n\t\tt.Read.Wanted = true\n\t}\n",
				""}},
			Equivalent: "not known",
		},
	}
}
