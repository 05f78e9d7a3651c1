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
			Name: "silence-asks-for-no-renewal", Rule: "3.3",
			Breaks: "does not ask for a renewal when an elector stops acknowledging, but leaves it to the arbiter lease that is left",
			Patches: []Patch{{"round.go",
				"if t.Peers[p].Reachable && t.View.Record.Electors.Identity(t.c.Peers[p]) != \"\" {\n\t\tt.Lead.RenewWanted = true\n\t}",
				"if t.c == nil {\n\t\tt.Lead.RenewWanted = true\n\t}"}},
			Equivalent: "after a waiver no arbiter lease is left, so that a renewal is due at once; before it, more than half is left, and carries",
		},
		{
			Name: "release-voids-no-promises", Rule: "3.7",
			Breaks: "comes back by heartbeats after a release was started and certainly not applied",
			Patches: []Patch{{"release.go",
				"l.BeatsVoid, l.RenewWanted = true, false",
				"l.RenewWanted = false"}},
			Equivalent: "a release that may have been applied is never given up, and one that was not leaves an ordinary fence",
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
			Equivalent: "what such a read can show is what the write expects, or older, which resolves nothing, or what came after it, which is true",
		},
	}
}
