package mutants

// ofPhases breaks how a leader stops and how it comes back (design 3.7).
func ofPhases() []Mutant {
	return []Mutant{
		{
			Name: "fence-on-events-only", Scenario: "joined-unheard", Rule: "3.7",
			Breaks: "does not wake at the end of its authority, and fences when something else happens",
			Patches: []Patch{{"due.go",
				"\t\tt.fenceAt(), t.silenceAt(),",
				"\t\tt.silenceAt(),"}},
		},
		{
			Name: "event-before-the-clock", Scenario: "thawed-with-answers", Rule: "3.7",
			Breaks: "handles what arrived before the fence that is overdue",
			Patches: []Patch{{"step.go",
				"\tif now >= s.Next {\n\t\tt.settleDues()\n\t}\n",
				""}},
		},
		{
			Name: "no-fence-by-the-clock", Scenario: "alone-and-cut-off", Rule: "3.7",
			Breaks: "does not fence at the end of its authority",
			Patches: []Patch{{"due.go",
				"\tif t.now >= t.fenceAt() {\n\t\tt.fence(BecauseAuthorityEnds)\n\t}\n",
				""},
				{"due.go", "\t\tt.fenceAt(), t.silenceAt(),", "\t\tt.silenceAt(),"}},
		},
		{
			Name: "resume-after-release", Scenario: "released-unheard", Rule: "3.7",
			Breaks: "gives a release up that may have been applied, and comes back by heartbeats",
			Patches: []Patch{
				{"release.go",
					"l.BeatsVoid, l.RenewWanted = true, false",
					"l.RenewWanted = false"},
				{"release.go",
					"t.Phase != Releasing || t.Shutdown || t.Write.Open || t.Lead",
					"t.Phase != Releasing || t.Shutdown || t.Lead"},
			},
		},
		{
			Name: "resume-before-the-service-is-over", Scenario: "stops-for-long", Rule: "3.7",
			Breaks: "promotes anew while the service that it has fenced still stops",
			Patches: []Patch{{"fence.go",
				"if t.Phase != Fenced || t.Lead.Service != Passive || t.retakes() {",
				"if t.Phase != Fenced || t.retakes() {"}},
		},
		{
			Name: "authority-kept-at-fence", Scenario: "thawed-with-answers", Rule: "3.7",
			Breaks: "leaves a fence with the authority from before it",
			Patches: []Patch{{"fence.go",
				"\tt.enter(Fenced, because)\n\tt.dropAuthority()\n}",
				"\tt.enter(Fenced, because)\n\tt.Lead.Promoted, t.Lead.Retry = false, t.now\n}"}},
		},
		{
			Name: "answers-kept-at-fence", Scenario: "thawed-with-answers", Rule: "3.7",
			Breaks: "counts acknowledgements of heartbeats sent before the fence",
			Patches: []Patch{{"fence.go",
				"\tt.Lead.Retry = t.now\n\tt.forgetAnswers()\n",
				"\tt.Lead.Retry = t.now\n"}},
		},
		{
			Name: "release-before-the-service-is-over", Grid: "stops", Rule: "3.7",
			Breaks: "writes the release while the service still stops",
			Patches: []Patch{{"release.go",
				"if t.Phase != Releasing || t.Lead.Service != Passive || t.Write.Open {\n\t\treturn Never\n\t}\n\treturn t.Write.NotBefore",
				"if t.Phase != Releasing || t.Write.Open {\n\t\treturn Never\n\t}\n\treturn t.Write.NotBefore"}},
		},
		{
			Name: "take-before-the-service-is-over", Scenario: "stops-for-long", Rule: "3.7",
			Breaks: "takes again while the service of its last holding still stops",
			Patches: []Patch{{"challenge.go",
				"if !t.Standing.Eligible() || t.Shutdown || t.Lead.Service != Passive {",
				"if !t.Standing.Eligible() || t.Shutdown {"}},
		},
		{
			Name: "lead-before-floor-is-saved", Scenario: "alone-and-cut-off", Rule: "3.4",
			Breaks: "leads at an epoch that is not on disk",
			Patches: []Patch{{"holding.go",
				"if t.Phase == Promoting && t.Lead.Promoted && t.Floor.Saved >= t.View.Record.Epoch {",
				"if t.Phase == Promoting && t.Lead.Promoted {"}},
		},
		{
			Name: "asking-always", Scenario: "heard-by-one-of-two", Rule: "3.7",
			Breaks: "asks for promises while it is fenced and hears nobody (liveness)",
			Patches: []Patch{{"round.go",
				"\tif t.Phase != Fenced {\n\t\treturn true\n",
				"\tif t.now >= 0 {\n\t\treturn true\n"}},
		},
		{
			// Harmless where no record is rolled back: whoever leads at a higher epoch
			// has waited out this authority.
			Name: "no-fence-on-stale", Scenario: "only-the-elector-knows", Rule: "3.7",
			Breaks: "goes on acting on authority it has when an elector says that its epoch is over",
			Patches: []Patch{{"fence.go",
				"\tt.shut(BecauseStale)\n",
				""}},
		},
		{
			Name: "own-floor-ignored-by-a-holder", Scenario: "rolled-back-to-mine", Rule: "3.8",
			Breaks: "goes on with a record that was rolled back to it, below its own floor",
			Patches: []Patch{{"fence.go",
				"(t.Lead.StaleEpoch >= held || t.Floor.Epoch > held)",
				"t.Lead.StaleEpoch >= held"}},
		},
		{
			Name: "stale-does-not-raise-the-epoch", Scenario: "only-the-elector-knows", Rule: "3.7",
			Breaks: "stays at its epoch though an elector knows a higher one (liveness)",
			Patches: []Patch{{"fence.go",
				"\tt.Lead.StaleEpoch = max(t.Lead.StaleEpoch, m.Epoch)\n\tt.raiseFloor(m.Epoch)\n",
				""}},
		},
		{
			Name: "busy-is-not-helped", Scenario: "busy-over-a-torn-read", Rule: "3.4",
			Breaks: "does not renew for an elector whose unresolved write expects the very record that stands (liveness)",
			Patches: []Patch{{"round.go",
				"\tif (Position{m.Epoch, m.Revision}) == t.View.Record.Position() {\n\t\tt.Lead.RenewWanted = true\n\t}\n",
				""}},
		},
		{
			Name: "ill-leader-stays", Scenario: "ill-with-a-peer", Rule: "3.5",
			Breaks: "leads on when it is not healthy (liveness)",
			Patches: []Patch{{"standing.go",
				"t.Phase != Releasing && !t.Standing.Healthy && t.refusal",
				"t.Phase == Releasing && !t.Standing.Healthy && t.refusal"}},
		},
		{
			Name: "ill-leader-stays-where-nobody-is-known", Scenario: "ill-without-peers", Rule: "3.5",
			Breaks: "leads on when it is not healthy and the record names nobody else (liveness)",
			Patches: []Patch{{"standing.go",
				"!t.Standing.Healthy && t.refusal(\"\") == \"\"",
				"!t.Standing.Healthy && t.anyCandidate()"}},
		},
		{
			Name: "ill-leader-leaves-to-nobody", Scenario: "ill-and-nobody-else", Rule: "3.5",
			Breaks: "gives up when it is not healthy, though it knows that nobody can take (liveness)",
			Patches: []Patch{{"standing.go",
				"!t.Standing.Healthy && t.refusal(\"\") == \"\"",
				"!t.Standing.Healthy"}},
		},
		{
			Name: "silence-is-not-answered", Scenario: "link-fails", Rule: "3.3",
			Breaks: "does not renew when an elector stops acknowledging, until heartbeats no longer carry it (liveness)",
			Patches: []Patch{
				{"round.go",
					"if t.Peers[p].Reachable && t.View.Record.Electors.Identity(t.c.Peers[p]) != \"\" {\n\t\tt.Lead.RenewWanted = true\n\t}",
					"if t.c == nil {\n\t\tt.Lead.RenewWanted = true\n\t}"},
				{"holding.go",
					"case !t.allReachable():",
					"case !t.allReachable() && l.ArbiterUntil != 0:"},
			},
		},
	}
}
