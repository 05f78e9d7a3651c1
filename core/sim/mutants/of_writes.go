package mutants

// ofWrites breaks how a node finds out what became of its writes (design 3.6).
func ofWrites() []Mutant {
	return []Mutant{
		{
			Name: "unknown-taken-for-not-applied", Grid: "writes", Rule: "3.6",
			Breaks: "takes a write whose outcome is unknown for one that did not happen",
			Patches: []Patch{{"write.go",
				"case Conflict, Unknown, Corrupt:",
				"case Conflict, Corrupt:"}},
		},
		{
			Name: "conflict-resolves", Grid: "writes", Rule: "3.6",
			Breaks: "takes a conflict for proof that no attempt was or will be applied",
			Patches: []Patch{{"write.go",
				"\tcase Conflict, Unknown, Corrupt:\n",
				"\tcase Conflict:\n\t\tt.writeNeverApplies()\n\t\tt.Read.Wanted = true\n\tcase Unknown, Corrupt:\n"}},
		},
		{
			Name: "older-read-resolves", Scenario: "stale-over-an-open-write", Rule: "3.6",
			Breaks: "takes a read that shows less than is known for proof that a write was not applied",
			Patches: []Patch{{"read.go",
				"\tv := &t.View\n\tif v.OlderSince == 0 {\n",
				"\tv := &t.View\n\tif t.Write.Open {\n\t\tt.writeNeverApplies()\n\t}\n\tif v.OlderSince == 0 {\n"}},
		},
		{
			Name: "absent-read-resolves", Scenario: "absent-over-an-open-write", Rule: "3.6",
			Breaks: "takes a read that finds no record for proof that a write which expects one can never be applied",
			Patches: []Patch{{"read.go",
				"t.standsOnRecord() && t.now < believed {",
				"t.Phase.Holds() && t.now < believed {"}},
		},
		{
			Name: "older-read-closes-a-create", Scenario: "old-record-over-an-open-create", Rule: "3.6",
			Breaks: "takes a read that shows the record which had vanished for proof that its create was not applied",
			Patches: []Patch{{"read.go",
				"vanished := t.vanished(r)",
				"vanished := false"}},
		},
		{
			Name: "renewals-end-the-doubt", Scenario: "stuck-create", Rule: "3.6",
			Breaks: "doubts a record beside its open create anew with every renewal of it that is heard (liveness)",
			Patches: []Patch{{"elector.go",
				"\tif !t.Write.creates() {\n",
				"\tif t.c != nil {\n"}},
		},
		{
			Name: "absent-read-deposes", Scenario: "absent-at-the-leader", Rule: "3.6",
			Breaks: "lets a holder give up at the first read that finds no record",
			Patches: []Patch{{"read.go",
				"t.standsOnRecord() && t.now < believed {",
				"!t.Phase.Holds() && t.standsOnRecord() && t.now < believed {"}},
		},
		{
			Name: "older-read-believed", Scenario: "stale-at-the-leader", Rule: "3.4",
			Breaks: "takes a read that shows less than is known for the newest record",
			Patches: []Patch{{"read.go",
				"\t\tt.seeOlder(ev)\n\t\treturn\n\t}\n\tv.Found",
				"\t}\n\tv.Found"}},
		},
		{
			Name: "unchanged-record-resolves", Scenario: "torn-over-an-open-write", Rule: "3.6",
			Breaks: "takes a read that shows the expected record still for proof that the write was not applied",
			Patches: []Patch{{"write.go",
				"if r.Position().After(w.Base) {",
				"if r.Position().After(w.Base) || w.Op == 0 {"}},
		},
		{
			Name: "unchanged-by-version-alone", Scenario: "torn-over-an-open-write", Rule: "3.6",
			Breaks: "takes another version for a newer record, whatever its position",
			Patches: []Patch{{"write.go",
				"if r.Position().After(w.Base) {",
				"if v != w.Expected {"}},
		},
		{
			Name: "undone-record-closes-a-write", Scenario: "rolled-back-under-a-challenge", Rule: "3.6",
			Breaks: "takes a heartbeat of what a rollback undid for proof that its write can never be applied",
			Patches: []Patch{{"write.go",
				"return at.After(w.Base) && at.After(top)",
				"return at.After(w.Base)"}},
		},
		{
			Name: "failed-attempt-ends-the-write", Scenario: "failed-at-the-second-attempt", Rule: "3.6",
			Breaks: "gives a write up because its last attempt certainly failed, whatever became of those before",
			Patches: []Patch{{"write.go",
				"\tif w.Len == 0 {\n",
				"\tif w.Len >= 0 {\n"}},
		},
		{
			Name: "reused-write-id-restarts-the-lease", Scenario: "rolled-back-under-a-challenge", Rule: "3.6",
			Breaks: "counts a write_id that stands for several attempts from the last of them",
			Patches: []Patch{{"write.go",
				"\tw.OpAttempt = w.Len - 1\n",
				"\tw.OpAttempt = w.Len - 1\n\tw.Attempts[w.OpAttempt].Started = t.now\n"}},
		},
		{
			Name: "release-forgets-the-epoch", Scenario: "released-unheard", Rule: "3.2",
			Breaks: "releases by a record that begins to count anew, as if it were deleted",
			Patches: []Patch{{"release.go",
				"\tr.Revision = max(r.Revision, t.View.Top.Revision) + 1\n",
				"\tr.Epoch, r.Revision = 1, 1\n"}},
		},
		{
			Name: "retry-with-new-content", Scenario: "failed-at-the-second-attempt", Rule: "3.6",
			Breaks: "lets a second attempt of a take go up another epoch",
			Patches: []Patch{{"write.go",
				"func (t *turn) retry() { t.attempt() }",
				"func (t *turn) retry() {\n\tif t.Write.Intent == Take {\n\t\tt.Write.Proposal.Epoch++\n\t}\n\tt.attempt()\n}"}},
		},
	}
}
