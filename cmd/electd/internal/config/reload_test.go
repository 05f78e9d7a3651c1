package config

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// reloaded returns what everything.hcl and the same with replacements become.
func reloaded(t *testing.T, replace ...string) (old, out *Config, diags Diagnostics) {
	t.Helper()
	text, err := os.ReadFile("testdata/accepted/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	old = decoded(t, string(text))
	out, diags = old.Reloaded(decoded(t, strings.NewReplacer(replace...).Replace(string(text))))
	return old, out, diags
}

// What a reload leaves is exactly what Diff says needs a restart.
func TestReloadedLeavesWhatNeedsARestart(t *testing.T) {
	_, out, diags := reloaded(t,
		`"900ms"`, `"950ms"`, // a timing: applied
		`id       = "db-a"`, `id = "db-x"`, // the node: left
		"db-b.example:7400", "db-b.example:7500", // a peer: left
		`election "invoices"`, `election "letters"`, // applied
		`"ha")}"`, `"hb")}"`, // the arbiter's own: left
	)
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	if got := out.Elections[0].FenceMargin.String(); got != "950ms" {
		t.Errorf("fence_margin is %s, want 950ms", got)
	}
	if out.Node.ID != "db-a" || out.Peers()[0].Address != "db-b.example:7400" {
		t.Errorf("node %q and peer %q have changed", out.Node.ID, out.Peers()[0].Address)
	}
	if got := out.Elections[1].Name; got != "letters" {
		t.Errorf("the second election is %q, want letters", got)
	}
	text, _ := os.ReadFile("testdata/accepted/everything.hcl")
	next := decoded(t, strings.NewReplacer(`"900ms"`, `"950ms"`, `election "invoices"`, `election "letters"`, `"ha")}"`, `"hb")}"`).Replace(string(text)))
	var left []string
	for _, c := range Diff(out, next) {
		left = append(left, c.Path)
	}
	if strings.Join(left, " ") != "arbiter.bucket" {
		t.Errorf("after the reload there is a difference in %q, want arbiter.bucket", left)
	}
}

// A part that is applied must go together with a part that is not.
func TestReloadedRefusesWhatDoesNotGoTogether(t *testing.T) {
	const head = "node { id = \"db-a\" }\narbiter \"acme\" { bucket = \"ha\" }\n"
	pair := head + `election "orders" {}
transport {
  listen   = "127.0.0.1:7400"
  insecure = true
  peer "db-b" { address = "127.0.0.1:7401" }
}
`
	alone := head + `election "orders" { heartbeat_interval = "5s" }` + "\n"
	_, diags := decoded(t, pair).Reloaded(decoded(t, alone))
	if !diags.HasErrors() || !strings.Contains(diags.Err().Error(), "heartbeat_interval") {
		t.Errorf("heartbeats every 5 s, with the peers still there: %v", diags.Err())
	}
}

// What is forgotten is not missed: the comparison with a later text and messages
// without lines.
func TestForget(t *testing.T) {
	text, err := os.ReadFile("testdata/accepted/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	old := decoded(t, string(text))
	next := decoded(t, strings.NewReplacer(`"900ms"`, `"950ms"`, `"ha")}"`, `"hb")}"`).Replace(string(text)))
	before, dir := Diff(old, next), old.Dir()
	old.Forget()
	if after := Diff(old, next); !slices.Equal(before, after) || len(after) != 2 {
		t.Errorf("Diff is %v, and was %v", after, before)
	}
	if old.Dir() != dir {
		t.Errorf("Dir is %q, and was %q", old.Dir(), dir)
	}
	merged, diags := old.Reloaded(next)
	if diags.HasErrors() || merged.Elections[0].FenceMargin.String() != "950ms" {
		t.Errorf("Reloaded: %v", diags.Err())
	}
	if err := old.Locate("arbiter", errors.New("no")).Err(); err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("Locate: %v", err)
	}
}
