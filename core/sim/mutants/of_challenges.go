package mutants

// ofChallenges breaks when a node may take, and at which epoch (design 3.5).
func ofChallenges() []Mutant {
	return []Mutant{
		{
			Name: "own-promise-ignored", Grid: "restarts-kept-3", Rule: "3.5",
			Breaks: "challenges while its own promise runs",
			Patches: []Patch{{"challenge.go",
				"return max(t.View.FreeAt, t.Vow.Until).Add(t.holdBack())",
				"return t.View.FreeAt.Add(t.holdBack())"}},
		},
		{
			Name: "promise-not-asked-again", Grid: "restarts-kept-2", Rule: "3.5",
			Breaks: "decides to challenge before it reads, and does not look at its promise again when the write starts",
			Patches: []Patch{
				{"state.go",
					"\tWanted    bool    // one is wanted apart from the polling\n",
					"\tWanted    bool    // one is wanted apart from the polling\n\tDecided   bool\n"},
				{"challenge.go",
					"\tif !t.copyCurrent() {\n\t\tt.Read.Wanted, t.Read.NotBefore = true, max(t.Read.NotBefore, t.now)\n\t\treturn\n\t}\n",
					"\tif !t.Read.Decided {\n\t\tt.Read.Decided = true\n\t\tt.Read.Wanted, t.Read.NotBefore = true, max(t.Read.NotBefore, t.now)\n\t\treturn\n\t}\n\tt.Read.Decided = false\n"},
				{"challenge.go",
					"if at != Never && at <= t.now && !t.copyCurrent() && (t.Read.Op != 0 || t.Read.Wanted) {",
					"if t.Read.Decided && t.copyCurrent() && t.Read.Op == 0 && !t.Read.Wanted {\n\t\treturn t.now\n\t}\n\tif at != Never && at <= t.now && (t.Read.Op != 0 || t.Read.Wanted) {"},
			},
		},
		{
			Name: "holders-lease-ignored", Grid: "restarts-kept-2", Rule: "3.5",
			Breaks: "challenges while the holder may have arbiter authority",
			Patches: []Patch{{"challenge.go",
				"return max(t.View.FreeAt, t.Vow.Until).Add(t.holdBack())",
				"return t.Vow.Until.Add(t.holdBack())"}},
		},
		{
			Name: "stranger-challenges", Grid: "restarts-lost", Rule: "3.5",
			Breaks: "challenges though the record names electors, and not this node",
			Patches: []Patch{{"challenge.go",
				"\tcase t.stranger():\n\t\treturn Never\n",
				""}},
		},
		{
			Name: "stranger-by-node-id-alone", Grid: "restarts-lost", Rule: "3.2",
			Breaks: "takes itself for an elector whose node id it has",
			Patches: []Patch{{"challenge.go",
				"return !r.Open() && !r.Electors.Has(t.c.self())",
				"return !r.Open() && r.Electors.Identity(t.c.Node) == \"\""}},
		},
		{
			Name: "reclaim-of-any-own-session", Scenario: "landed-late-then-restarted", Rule: "3.5",
			Breaks: "takes back at once what any older session under its node id holds",
			Patches: []Patch{{"challenge.go",
				"t.View.Session == t.c.Previous && !t.Vow.Made",
				"t.View.Holder == t.c.Node && t.View.Session != t.c.Session && !t.Vow.Made"}},
		},
		{
			Name: "reclaim-at-same-epoch", Scenario: "owed-and-taking", Rule: "3.5",
			Breaks: "goes on at the epoch of the session before it",
			Patches: []Patch{{"challenge.go",
				"\tr.AcquiredAt = t.wall\n\treturn r",
				"\tr.AcquiredAt = t.wall\n\tif t.View.Found == FoundRecord && t.View.Record.State == Held && t.reclaims() {\n\t\tr.Epoch = t.View.Record.Epoch\n\t}\n\treturn r"}},
		},
		{
			Name: "reclaim-despite-promise", Scenario: "landed-late-then-silent", Rule: "3.5",
			Breaks: "takes back its own record though it has promised somebody not to",
			Patches: []Patch{{"challenge.go",
				"t.View.Session == t.c.Previous && !t.Vow.Made",
				"t.View.Session == t.c.Previous"}},
		},
		{
			Name: "absence-taken-for-vacancy", Grid: "deletion", Rule: "3.5",
			Breaks: "creates a deleted record anew without waiting for its holder",
			Patches: []Patch{{"challenge.go",
				"\tif t.newCluster() {\n\t\treturn since.Add(t.holdBack())",
				"\tif t.now >= 0 {\n\t\treturn since.Add(t.holdBack())"}},
		},
		{
			Name: "promise-void-when-record-is-gone", Grid: "deletion", Rule: "3.5",
			Breaks: "creates a deleted record anew while its own promise runs",
			Patches: []Patch{{"challenge.go",
				"at := max(since.Add(t.longestLease()), t.Vow.Until)",
				"at := since"}},
		},
		{
			Name: "new-cluster-by-own-word", Seed: 507, Rule: "3.5",
			Breaks: "takes a missing record for a new cluster without asking its peers",
			Patches: []Patch{{"challenge.go",
				"if g := &t.Peers[i].Hello; !g.Known || g.HasFloor {",
				"if g := &t.Peers[i].Hello; g.HasFloor {"}},
		},
		{
			Name: "epoch-below-floor", Grid: "deletion", Rule: "3.5",
			Breaks: "creates a deleted record anew without regard to any floor or date",
			Patches: []Patch{{"challenge.go",
				"r.Epoch = max(t.View.Record.Epoch, t.View.Top.Epoch, t.Floor.Epoch, t.peersFloor()) + 1\n\tif t.View.Found == FoundAbsent && !t.newCluster() {",
				"if r.Epoch++; t.View.Found == FoundAbsent {\n\t\tr.Epoch = 1\n\t}\n\tif false {"}},
		},
		{
			Name: "challenge-names-new-electors", Scenario: "newcomer-in-a-lost-challenge", Rule: "3.5",
			Breaks: "names electors in a challenge that the holder does not know of",
			Patches: []Patch{{"challenge.go",
				"r.Electors = t.keptRoster()",
				"r.Electors = t.nextRoster()"}},
		},
		{
			Name: "elector-replaced-at-once", Scenario: "second-machine-of-a-name", Rule: "3.5",
			Breaks: "replaces an elector by a new machine of its name without waiting for its silence",
			Patches: []Patch{{"roster.go",
				"if hello.Known && hello.Identity != identity && t.now >= t.replaceableAt(i) {",
				"if hello.Known && hello.Identity != identity {"}},
		},
	}
}
