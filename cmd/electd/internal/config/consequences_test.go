package config

import (
	"encoding/json"
	"math"
	"testing"
)

func consequences(t *testing.T, path string) Consequences {
	t.Helper()
	c, diags := load(t, path)
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	return c.Consequences()
}

// The numbers of the design's own example, worked out by hand.
func TestConsequencesOfThePair(t *testing.T) {
	e := consequences(t, "testdata/accepted/pair.hcl").Elections[0]
	want := map[string]int64{"crash": 1500, "crash while no peer is heard": 40_000, "step-down": 0, "cold start": 30_000}
	for _, f := range e.Failovers {
		if f.WaitMS != want[f.After] {
			t.Errorf("after a %s: %d ms, want %d", f.After, f.WaitMS, want[f.After])
		}
		delete(want, f.After)
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of %v", want)
	}
	if e.Healthy.Writes != 0 || e.Healthy.Reads != 0 || *e.Healthy.DollarsHour != 0 {
		t.Errorf("healthy: %+v", e.Healthy)
	}
	// 240 writes and 360 reads an hour: $0.0012 + $0.000144.
	if e.Degraded.Writes != 240 || e.Degraded.Reads != 360 || math.Abs(*e.Degraded.DollarsHour-0.001344) > 1e-9 {
		t.Errorf("degraded: %+v, $%v an hour", e.Degraded, *e.Degraded.DollarsHour)
	}
	// 500 − 50 − 300 − 50 = 100 ms of 30 s.
	if math.Abs(e.RateAllowed-0.1/30) > 1e-9 {
		t.Errorf("tolerates %v", e.RateAllowed)
	}
	if e.PromoteMS != 30_000 {
		t.Errorf("promote hook: %d ms", e.PromoteMS)
	}
}

// Only the operators' own stores have their list prices.
func TestPricesAreForTheOperatorsOwnStore(t *testing.T) {
	for text, priced := range map[string]bool{
		`arbiter "s3" { bucket = "b" }`:                                    true,
		"arbiter \"s3\" {\n bucket = \"b\"\n endpoint = \"https://s3\"\n}": false,
		`arbiter "file" { bucket = "b" }`:                                  false,
	} {
		c, diags := parse("x.hcl", "/", []byte("node { id = \"a\" }\nelection \"e\" {}\n"+text))
		if diags.HasErrors() {
			t.Fatal(diags.Err())
		}
		schema := storeSchema
		schema.Attributes = append(schema.Attributes[:len(schema.Attributes):len(schema.Attributes)], endpoint)
		if _, diags := c.DecodeArbiter(schema); diags.HasErrors() {
			t.Fatal(diags.Err())
		}
		if got := c.Consequences(); (got.Prices != "") != priced || (got.Elections[0].Healthy.DollarsHour != nil) != priced {
			t.Errorf("%s: prices %q", text, got.Prices)
		}
	}
}

func TestConsequencesAsJSON(t *testing.T) {
	text, err := json.MarshalIndent(consequences(t, "testdata/accepted/fast.hcl"), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/accepted/fast.json", append(text, '\n'))
}
