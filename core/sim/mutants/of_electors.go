package mutants

// ofElectors breaks what an elector owes and knows (design 3.4).
func ofElectors() []Mutant {
	return []Mutant{
		{
			Name: "promise-while-unresolved", Scenario: "owed-and-taking", Rule: "3.4",
			Breaks: "acknowledges while a write of its own is unresolved",
			Patches: []Patch{
				{"elector.go", "\tcase t.Write.Open:\n\t\tt.answerBusy(m, t.Write.Base)\n", ""},
				{"elector.go",
					"if t.Write.Open || t.Phase.Holds() || o.Epoch < t.highest() {",
					"if t.Phase.Holds() || o.Epoch < t.highest() {"},
			},
		},
		{
			Name: "promise-without-floor", Scenario: "asked-before-it-reads", Rule: "3.4",
			Breaks: "acknowledges before the first read, with no floor",
			Patches: []Patch{
				{"elector.go",
					"\tcase !t.Floor.Known:\n\t\tif t.View.Found != FoundRecord || !t.copyCurrent() {\n\t\t\tt.wantRecord() // else this is a stranger, which has read\n\t\t}\n\t\tt.answerBusy(m, Position{})\n\t\tt.sendHello(m.Node)\n",
					""},
				{"elector.go",
					"if o.Peer == \"\" || t.Floor.Saved < o.Epoch {",
					"if o.Peer == \"\" || t.Floor.Known && t.Floor.Saved < o.Epoch {"},
			},
		},
		{
			Name: "promise-before-floor-is-saved", Scenario: "promised-and-forgotten", Rule: "3.4",
			Breaks: "acknowledges a new epoch before the raised floor is on disk",
			Patches: []Patch{{"elector.go",
				"if o.Peer == \"\" || t.Floor.Saved < o.Epoch {",
				"if o.Peer == \"\" {"}},
		},
		{
			Name: "promise-owed-is-paid-regardless", Scenario: "owed-and-taking", Rule: "3.4",
			Breaks: "gives an acknowledgement that waited for the disk although a write was started meanwhile",
			Patches: []Patch{{"elector.go",
				"\tif t.Write.Open || t.Phase.Holds() || o.Epoch < t.highest() {\n\t\treturn\n\t}\n",
				""}},
		},
		{
			Name: "floor-not-kept", Grid: "deletion", Rule: "3.2",
			Breaks: "forgets the floor at a restart",
			Patches: []Patch{{"state.go",
				"Floor: Floor{Known: known, Epoch: saved, Saved: saved},",
				"Floor: Floor{Known: known && saved == 0},"}},
		},
		{
			Name: "start-up-wait-dropped", Scenario: "landed-late-then-restarted", Rule: "3.4",
			Breaks: "ignores what the session before it may have promised",
			Patches: []Patch{{"read.go",
				"\tt.Vow.Until = max(t.Vow.Until, t.Started.Add(r.HeartbeatLease))\n",
				""}},
		},
		{
			Name: "promise-taken-from-own-config", Seed: 32, Rule: "3.2",
			Breaks: "promises the lease of its own configuration, not of the heartbeat",
			Patches: []Patch{{"elector.go",
				"Until: t.now.Add(m.HeartbeatLease),",
				"Until: t.now.Add(t.c.HeartbeatLease),"}},
		},
		{
			Name: "wait-taken-from-own-config", Seed: 314, Rule: "3.2",
			Breaks: "waits for the arbiter lease of its own configuration, not of the record",
			Patches: []Patch{{"read.go",
				"free := t.now.Add(r.ArbiterLease - ev.Age)",
				"free := t.now.Add(t.c.ArbiterLease - ev.Age)"}},
		},
		{
			Name: "age-rounded-up", Grid: "ages", Rule: "3.4",
			Breaks: "takes a record for older than the store's clock proves",
			Patches: []Patch{{"read.go",
				"free := t.now.Add(r.ArbiterLease - ev.Age)",
				"free := t.now.Add(r.ArbiterLease - ev.Age)\n\tif ev.Age > 0 {\n\t\tfree = free.Add(-t.c.HeartbeatLease)\n\t}"}},
		},
		{
			Name: "arbiter-left-ignored", Grid: "restarts-kept-2", Rule: "3.4",
			Breaks: "ignores how much arbiter authority a heartbeat says is left",
			Patches: []Patch{{"elector.go",
				"free := t.now.Add(m.ArbiterLeft)",
				"free := t.now"}},
		},
		{
			Name: "older-revision-taken-for-equal", Grid: "messages", Rule: "3.4",
			Breaks: "lets a heartbeat of an older revision lower the bound of a newer one",
			Patches: []Patch{{"elector.go",
				"\tcase at == v.Heard:\n\t\tv.FreeAt = min(v.FreeAt, free)",
				"\tcase at.Epoch == v.Heard.Epoch:\n\t\tv.FreeAt = min(v.FreeAt, free)"}},
		},
		{
			Name: "torn-read-keeps-its-bound", Scenario: "torn-then-whole", Rule: "3.4",
			Breaks: "lets the age of a torn read stand against a later whole one",
			Patches: []Patch{{"read.go",
				"\tcase torn:\n\t\tv.FreeAt = free\n",
				"\tcase torn:\n\t\tv.FreeAt = min(v.FreeAt, free)\n"}},
		},
		{
			Name: "stale-not-answered", Scenario: "only-the-elector-knows", Rule: "3.4",
			Breaks: "does not tell a holder that its epoch is over",
			Patches: []Patch{{"elector.go",
				"\tt.do(Action{Kind: DoSend, Peer: m.Node, Message: a})\n\treturn true",
				"\t_ = a\n\treturn true"}},
		},
		{
			Name: "twin-not-refused", Scenario: "two-sessions-at-one-epoch", Rule: "3.4",
			Breaks: "acknowledges a second session at an epoch that is taken",
			Patches: []Patch{{"elector.go",
				"if m.Epoch >= highest && !twin {",
				"if m.Epoch >= highest {"}},
		},
		{
			Name: "lower-epoch-not-refused", Scenario: "asked-at-an-epoch-that-is-over", Rule: "3.4",
			Breaks: "acknowledges a heartbeat of an epoch below the highest known",
			Patches: []Patch{
				{"elector.go",
					"if m.Epoch >= highest && !twin {",
					"if !twin {"},
				{"elector.go",
					"if t.Write.Open || t.Phase.Holds() || o.Epoch < t.highest() {",
					"if t.Write.Open || t.Phase.Holds() {"},
			},
		},
	}
}
