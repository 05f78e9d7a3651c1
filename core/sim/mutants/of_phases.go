package mutants

// ofPhases breaks how a leader stops and how it comes back (design 3.7).
func ofPhases() []Mutant {
	return []Mutant{
		{
			Name: "fence-on-events-only", Rule: "3.7",
			Breaks: "does not wake at the end of its authority, and fences when something else happens",
			Patches: []Patch{{"due.go",
				"\t\tt.fenceAt(), t.silenceAt(),",
				"\t\tt.silenceAt(),"}},
		},
		{
			Name: "event-before-the-clock", Rule: "3.7",
			Open:   "not reached so far: a step looks at the clock after the event as well",
			Breaks: "handles what arrived before the fence that is overdue",
			Patches: []Patch{{"step.go",
				"\tif now >= s.Next {\n\t\tt.settleDues()\n\t}\n",
				""}},
		},
		{
			Name: "no-fence-by-the-clock", Rule: "3.7",
			Breaks: "does not fence at the end of its authority",
			Patches: []Patch{{"due.go",
				"\tif t.now >= t.fenceAt() {\n\t\tt.fence(BecauseAuthorityEnds)\n\t}\n",
				""},
				{"due.go", "\t\tt.fenceAt(), t.silenceAt(),", "\t\tt.silenceAt(),"}},
		},
		{
			Name: "resume-after-release", Rule: "3.7",
			Open:   "not reached so far",
			Breaks: "comes back by heartbeats after a release was started",
			Patches: []Patch{{"release.go",
				"l.BeatsVoid, l.RenewWanted = true, false",
				"l.RenewWanted = false"}},
		},
		{
			Name: "authority-kept-at-fence", Rule: "3.7",
			Breaks: "leaves a fence with the authority from before it",
			Patches: []Patch{{"fence.go",
				"\tt.enter(Fenced, because)\n\tt.dropAuthority()\n}",
				"\tt.enter(Fenced, because)\n\tt.Lead.Promoted, t.Lead.Retry = false, t.now\n}"}},
		},
		{
			Name: "answers-kept-at-fence", Rule: "3.7",
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
			Name: "take-before-the-service-is-over", Grid: "stops", Rule: "3.7",
			Open:   "not reached so far",
			Breaks: "takes again while the service of its last holding still stops",
			Patches: []Patch{{"challenge.go",
				"if !t.Standing.Eligible() || t.Shutdown || t.Lead.Service != Passive {",
				"if !t.Standing.Eligible() || t.Shutdown {"}},
		},
		{
			Name: "lead-before-floor-is-saved", Rule: "3.4",
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
			Name: "stale-does-not-raise-the-epoch", Scenario: "rolled-back-to-mine", Rule: "3.7",
			Breaks: "stays at its epoch though an elector knows a higher one (liveness)",
			Patches: []Patch{{"fence.go",
				"\tt.Lead.StaleEpoch = max(t.Lead.StaleEpoch, m.Epoch)\n\tt.raiseFloor(m.Epoch)\n",
				""}},
		},
		{
			Name: "busy-is-not-helped", Rule: "3.4",
			Open:   "not reached so far: the stray write is retried, and then resolved, without help",
			Breaks: "does not renew for an elector whose unresolved write expects the very record that stands (liveness)",
			Patches: []Patch{{"round.go",
				"\tif (Position{m.Epoch, m.Revision}) == t.View.Record.Position() {\n\t\tt.Lead.RenewWanted = true\n\t}\n",
				""}},
		},
		{
			Name: "silence-is-not-answered", Rule: "3.3",
			Open:   "costs a fence, from which a write brings the leader back; no bound of the simulator is broken",
			Breaks: "does not renew when an elector stops acknowledging (liveness)",
			Patches: []Patch{{"round.go",
				"if t.Peers[p].Reachable && t.View.Record.Electors.Identity(t.c.Peers[p]) != \"\" {\n\t\tt.Lead.RenewWanted = true\n\t}",
				"if t.c == nil {\n\t\tt.Lead.RenewWanted = true\n\t}"}},
		},
	}
}
