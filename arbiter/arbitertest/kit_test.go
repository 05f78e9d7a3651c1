package arbitertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/electd/electd/arbiter/arbitertest"
	"github.com/electd/electd/arbiter/memory"
	"github.com/electd/electd/core"
)

func TestAFaithfulArbiterIsCertified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		h := onMemory(memory.NewStore(), nil)
		h.OnResult = func(r arbitertest.Result) { heard = append(heard, r.Name) }
		report := arbitertest.Examine(t.Context(), h)
		if err := report.Err(); err != nil {
			t.Fatal(err)
		}
		if !report.Certified() || report.Count(arbitertest.Passed) != len(arbitertest.Names()) {
			t.Errorf("not certified: %+v", report)
		}
		if !slices.Equal(heard, arbitertest.Names()) {
			t.Errorf("heard of %v", heard)
		}
	})
}

// Every defect is found by the check meant for it, and by no other.
func TestPlantedDefectsAreFound(t *testing.T) {
	for _, f := range faulty {
		t.Run(f.defect, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memory.NewStore()
				findsExactly(t, onMemory(store, f.plant(store)), f.check)
			})
		})
	}
}

func TestALeakedGoroutineIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leak := make(chan struct{})
		defer close(leak)
		findsExactly(t, onMemory(memory.NewStore(), func(c *memory.Client) core.Arbiter {
			go func() { <-leak }()
			return c
		}), "no-goroutine-left")
	})
}

// findsExactly fails the test unless check, and it alone, fails.
func findsExactly(t *testing.T, h arbitertest.Harness, check string) {
	t.Helper()
	report := arbitertest.Examine(t.Context(), h)
	var failed []string
	for _, r := range report.Results {
		if r.Status == arbitertest.Failed {
			failed = append(failed, r.Name)
		}
	}
	if !slices.Equal(failed, []string{check}) {
		var text strings.Builder
		_ = report.WriteText(&text)
		t.Errorf("failed %v, want exactly %s\n%s", failed, check, text.String())
	}
}

func TestWithoutFaultsTheirChecksAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := onMemory(memory.NewStore(), nil)
		h.OpenFaulty = nil
		h.Skip = map[string]string{"aba": "because this test says so"}
		report := arbitertest.Examine(t.Context(), h)
		var skipped []string
		for _, r := range report.Results {
			if r.Status == arbitertest.Skipped {
				skipped = append(skipped, r.Name)
				if r.Reason == "" {
					t.Errorf("%s is skipped without a reason", r.Name)
				}
			}
		}
		if want := []string{"aba", "lost-answer", "deadline-silence", "no-retry", "late-write"}; !slices.Equal(skipped, want) {
			t.Errorf("skipped %v, want %v", skipped, want)
		}
		if report.Err() != nil || report.Certified() {
			t.Errorf("error %v, certified %v", report.Err(), report.Certified())
		}
	})
}

func TestAnEndedRunSkipsTheRest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report := arbitertest.Examine(ctx, onMemory(memory.NewStore(), nil))
	if n := report.Count(arbitertest.Skipped); n != len(arbitertest.Names()) {
		t.Errorf("%d checks are skipped", n)
	}
}

func TestAMisnamedSkipIsAFault(t *testing.T) {
	h := onMemory(memory.NewStore(), nil)
	h.Skip = map[string]string{}
	for _, name := range arbitertest.Names() {
		h.Skip[name] = "not wanted"
	}
	h.Skip["stale-swop"] = "a slip"
	if err := arbitertest.Check(t.Context(), h); err == nil || !strings.Contains(err.Error(), `"stale-swop"`) {
		t.Errorf("got %v", err)
	}
}

func TestAStoreThatCannotBeOpenedFailsEveryCheckThatOpensIt(t *testing.T) {
	h := arbitertest.Harness{Open: func(context.Context) (core.Arbiter, error) { return nil, errors.New("no such bucket") }}
	err := arbitertest.Check(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), "vacant-read: cannot open a client: no such bucket") {
		t.Errorf("got %v", err)
	}
}

func TestTheReportIsReadByPeopleAndMachines(t *testing.T) {
	report := arbitertest.Report{Results: []arbitertest.Result{
		{Name: "vacant-read", Why: "Because.", Status: arbitertest.Passed, Took: 12e6},
		{Name: "stale-swap", Why: "Two leaders.", Status: arbitertest.Failed, Problems: []string{"it was applied"}, Took: 2e9},
		{Name: "late-write", Why: "Late.", Status: arbitertest.Skipped, Reason: "no way to hold a write"},
		{Name: "watch-hints", Why: "Hints.", Status: arbitertest.NotApplicable, Reason: "no Watch"},
	}}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	want := `ok    vacant-read            0.01s
FAIL  stale-swap             2.00s
      why: Two leaders.
      - it was applied
skip  late-write             0.00s  no way to hold a write
n/a   watch-hints            0.00s  no Watch
1 passed, 1 failed, 1 skipped: not certified
`
	if text.String() != want {
		t.Errorf("text:\n%s\nwant:\n%s", text.String(), want)
	}
	encoded, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	want = `{"certified":false,"passed":1,"failed":1,"skipped":1,"checks":[` +
		`{"name":"vacant-read","why":"Because.","status":"passed","took_ms":12},` +
		`{"name":"stale-swap","why":"Two leaders.","status":"failed","problems":["it was applied"],"took_ms":2000},` +
		`{"name":"late-write","why":"Late.","status":"skipped","reason":"no way to hold a write","took_ms":0},` +
		`{"name":"watch-hints","why":"Hints.","status":"not applicable","reason":"no Watch","took_ms":0}]}`
	if string(encoded) != want {
		t.Errorf("JSON:\n%s\nwant:\n%s", encoded, want)
	}
}
