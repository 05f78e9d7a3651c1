package mutants

// ofAuthority breaks what a leader may count on (design 3.3).
func ofAuthority() []Mutant {
	return []Mutant{
		{
			Name: "promise-counted-from-receipt", Seed: 1, Rule: "3.3",
			Breaks: "counts an acknowledgement from when it arrives, not from when its round was sent",
			Patches: []Patch{{"round.go",
				"peer.Sent, peer.Lease = r.Sent, r.Lease",
				"peer.Sent, peer.Lease = t.now, r.Lease"}},
		},
		{
			Name: "lease-counted-from-answer", Scenario: "alone-and-cut-off", Rule: "3.3",
			Breaks: "counts the arbiter lease from the answer to the write, not from its start",
			Patches: []Patch{{"write.go",
				"t.writeApplied(w.Attempts[w.OpAttempt], ev.Version)",
				"t.writeApplied(Attempt{w.Attempts[w.OpAttempt].WriteID, t.now}, ev.Version)"}},
		},
		{
			Name: "lease-counted-from-read", Scenario: "owed-and-taking", Rule: "3.6",
			Breaks: "counts the arbiter lease from the read that reveals an own write, not from the write's start",
			Patches: []Patch{{"write.go",
				"t.writeApplied(w.Attempts[i], v)",
				"t.writeApplied(Attempt{w.Attempts[i].WriteID, t.now}, v)"}},
		},
		{
			Name: "any-elector-is-enough", Seed: 104, Rule: "3.3",
			Breaks: "leads on the promises of those electors that gave one, not of all",
			Patches: []Patch{{"authority.go",
				"if p < 0 || s.Peers[p].Identity != e.Identity || s.Peers[p].Sent == 0 {\n\t\t\treturn 0\n",
				"if p < 0 || s.Peers[p].Identity != e.Identity || s.Peers[p].Sent == 0 {\n\t\t\tcontinue\n"}},
		},
		{
			Name: "no-electors-no-bound", Scenario: "alone-and-cut-off", Rule: "3.3",
			Breaks: "leads without end where no other elector could promise",
			Patches: []Patch{{"authority.go",
				"if until == Never {\n\t\treturn 0\n\t}\n\treturn until",
				"return until"}},
		},
		{
			Name: "unresolved-electors-not-counted", Scenario: "joined-unheard", Rule: "3.3",
			Breaks: "does without the promises of electors that an unresolved write adds",
			Patches: []Patch{{"authority.go",
				"\tif s.Write.Open {\n\t\tuntil = min(until, s.promisedBy(c, &s.Write.Proposal.Electors, s.heartbeatLease()))\n\t}\n",
				""}},
		},
		{
			Name: "unresolved-removal-taken-for-applied", Scenario: "removed-unheard", Rule: "3.3",
			Breaks: "does without the promises of electors that an unresolved write removes",
			Patches: []Patch{{"authority.go",
				"\t\tuntil = min(until, s.promisedBy(c, &s.Write.Proposal.Electors, s.heartbeatLease()))\n",
				"\t\tuntil = s.promisedBy(c, &s.Write.Proposal.Electors, s.heartbeatLease())\n"}},
		},
		{
			Name: "newcomers-named-at-once", Scenario: "a-newcomer-joins", Rule: "3.3",
			Breaks: "names newcomers while promises carry it, which they have not given (liveness)",
			Patches: []Patch{{"holding.go",
				"if !t.carriedWhileOpen(&next.Electors) {",
				"if t.c == nil {"}},
		},
		{
			Name: "margin-not-subtracted", Scenario: "alone-and-cut-off", Rule: "3.3",
			Breaks: "acts until the authority ends, not a margin less",
			Patches: []Patch{
				{"authority.go",
					"return t.now < t.authority(t.c).Add(-t.c.FenceMargin)",
					"return t.now < t.authority(t.c)"},
				{"fence.go",
					"return t.authority(t.c).Add(-t.c.FenceMargin)",
					"return t.authority(t.c)"},
				{"state.go",
					"return s.View.Record.Epoch, s.authority(c).Add(-c.FenceMargin)",
					"return s.View.Record.Epoch, s.authority(c)"},
			},
		},
		{
			Name: "waiver-announced-but-kept", Seed: 11, Rule: "3.3",
			Breaks: "tells the electors that no arbiter authority is left, and keeps it",
			Patches: []Patch{
				{"authority.go",
					"if t.now >= t.beatsUntil(t.c).Add(-t.c.FenceMargin) {\n\t\treturn Never\n\t}\n\treturn t.now",
					"return Never"},
				{"round.go",
					"m.ArbiterLeft = max(0, t.boundUntil().Sub(t.now))",
					"m.ArbiterLeft = max(0, t.boundUntil().Sub(t.now))\n\tif t.allReachable() {\n\t\tm.ArbiterLeft = 0\n\t}"},
			},
		},
		{
			Name: "given-up-authority-not-told", Scenario: "healed-at-the-fence", Rule: "3.3",
			Breaks: "says that no arbiter authority is left while the service it was for still stops",
			Patches: []Patch{{"round.go",
				"if t.Lead.Service != Passive && t.Phase == Fenced {\n\t\treturn max(t.Lead.ArbiterUntil, t.Lead.Ends)\n\t}\n\treturn t.Lead.ArbiterUntil",
				"return t.Lead.ArbiterUntil"}},
		},
		{
			Name: "shorter-lease-binds-late", Scenario: "shortened-unheard", Rule: "3.8",
			Breaks: "counts the old, longer lease while a write with a shorter one is unresolved",
			Patches: []Patch{{"holding.go",
				"\tt.Lead.ArbiterUntil = min(t.Lead.ArbiterUntil, t.now.Add(next.ArbiterLease))\n",
				""}},
		},
		{
			Name: "longer-promise-counted-at-once", Scenario: "lengthened-unheard", Rule: "3.8",
			Breaks: "counts the leases of an unresolved write for promises already given",
			Patches: []Patch{
				{"authority.go",
					"return min(s.View.Record.HeartbeatLease, s.Write.Proposal.HeartbeatLease)",
					"return max(s.View.Record.HeartbeatLease, s.Write.Proposal.HeartbeatLease)"},
				{"authority.go",
					"s.Peers[p].Sent.Add(min(lease, s.Peers[p].Lease))",
					"s.Peers[p].Sent.Add(lease)"},
			},
		},
	}
}
