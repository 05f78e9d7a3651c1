package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/electd/electd/plugins"
)

// votingSchema stands for that of an arbiter whose nodes vote.
var votingSchema = plugins.Schema{Attributes: []plugins.Attribute{
	{Name: "node", Type: plugins.TypeString, Required: true, Doc: "This node's id."},
	{Name: "data_dir", Type: plugins.TypeString, Doc: "Where its votes are."},
}}

func TestArbiterTakesFromTheNodeBlock(t *testing.T) {
	for name, test := range map[string]struct{ arbiter, node, dir string }{
		"left out": {`arbiter "bully" {}`, "n1", "state/votes"},
		"given":    {"arbiter \"bully\" {\n  node = \"x\"\n  data_dir = \"elsewhere\"\n}", "x", "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "electd.hcl")
			text := "node {\n  id       = \"n1\"\n  data_dir = \"state\"\n}\n" + test.arbiter + "\nelection \"queue\" {}\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, diags := Load(path)
			if c == nil {
				t.Fatal(diags)
			}
			values, diags := c.DecodeArbiter(votingSchema)
			want := test.dir
			if name == "left out" {
				want = filepath.Join(dir, want)
			}
			if diags.HasErrors() || values["node"] != test.node || values["data_dir"] != want {
				t.Errorf("%v, %v; want node %q and data_dir %q", values, diags, test.node, want)
			}
		})
	}
}

// Another arbiter's attribute of that name stays its own.
func TestOnlyAnArbiterWhoseNodesVoteTakesFromTheNodeBlock(t *testing.T) {
	c, diags := FromFlags(Flags{Node: "n1", Arbiter: "other", Election: "queue", Command: []string{"worker"}})
	if c == nil {
		t.Fatal(diags)
	}
	if _, diags := c.DecodeArbiter(votingSchema); !diags.HasErrors() {
		t.Error("a required attribute was filled in")
	}
}
