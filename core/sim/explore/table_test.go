package explore

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	g := base("some", "something", Budget{Restarts: restarts(2, 1), Unknown: 1})
	other, third := g, g
	other.Name, third.Name = "other", "third"
	rows := []Row{
		{g, Report{States: 12, Depth: 3, Complete: true}},
		{other, Report{States: 12, Depth: 3}},
		{third, Report{States: 12, Failure: &Failure{Invariant: "I1"}}},
	}
	document, err := ReplaceTable("before\n"+tableBegins+"\n| gone | old |\n| three | kept |\n"+tableEnds+"\nafter\n", rows)
	if err != nil {
		t.Fatal(err)
	}
	const terms = "leases of 2 and 4 ticks, restarts 2 and 1, unknown writes 1"
	for _, want := range []string{
		"before\n" + tableBegins + "\n", "\n" + tableEnds + "\nafter\n",
		"| some | something | " + terms + " | 12 | any length | yes, the farthest state after 3 events |\n",
		"| other | something | " + terms + " | 12 | 3 events | no |\n", "| **I1 fails** |\n", "| three | kept |\n",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("%q is not in\n%s", want, document)
		}
	}
	if strings.Contains(document, "old") {
		t.Errorf("the old table is still there:\n%s", document)
	}
	if _, err := ReplaceTable("no table", rows); err == nil {
		t.Error("a document without a table is taken")
	}
}
