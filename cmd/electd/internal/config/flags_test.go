package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
	"github.com/electd/electd/plugins"
)

// fromFlags builds a configuration as "electd exec" does.
func fromFlags(f Flags) (*Config, plugins.Values, Diagnostics) {
	c, diags := FromFlags(f)
	if c == nil {
		return nil, nil, diags
	}
	values, more := c.DecodeArbiter(storeSchema)
	return c, values, diags.Append(more)
}

var goodFlags = Flags{Node: "host", DataDir: "state", Arbiter: "s3", Election: "job", Command: []string{"worker", "-x"}}

func TestFromFlags(t *testing.T) {
	f := goodFlags
	f.Set = []string{
		"bucket=acme-ha", "path_style=true", "retries=3", "skew=2s", "share=0.5",
		"hosts=a", "hosts=b,c", "headers.X-A=1=2", "headers.X.B=", "tls.ca_file=ca.pem",
	}
	f.StopTimeout = 100 * time.Millisecond
	c, values, diags := fromFlags(f)
	if diags.Len() > 0 {
		t.Fatalf("%s", written(t, diags))
	}
	want := plugins.Values{
		"bucket": "acme-ha", "path_style": true, "retries": int64(3), "skew": 2 * time.Second, "share": 0.5,
		"hosts": []string{"a", "b,c"}, "headers": map[string]string{"X-A": "1=2", "X.B": ""},
		"tls": plugins.Values{"ca_file": "ca.pem"},
	}
	if !reflect.DeepEqual(values, want) {
		t.Errorf("values %#v\nwant %#v", values, want)
	}
	e := c.Elections[0]
	if e.Name != "job" || e.ArbiterLease != 10*time.Second || e.Run.Restart != "never" || e.Run.StopTimeout != f.StopTimeout {
		t.Errorf("election %+v, run %+v", e, e.Run)
	}
	if len(c.Peers()) != 0 || !strings.HasPrefix(c.Node.DataDir, "/") {
		t.Errorf("node %+v, peers %v", c.Node, c.Peers())
	}
}

// The same values from a file and from flags are the same to the arbiter.
func TestFlagsAndFileAgree(t *testing.T) {
	text := `
node { id = "host" }
arbiter "s3" {
  bucket  = "b"
  retries = 3
  skew    = "1m"
  hosts   = ["a"]
  headers = { A = "1" }
  tls { ca_file = "x" }
}
election "job" {}`
	c, diags := parse("x.hcl", "/", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	inFile, diags := c.DecodeArbiter(storeSchema)
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	f := goodFlags
	f.Set = []string{"bucket=b", "retries=3", "skew=1m", "hosts=a", "headers.A=1", "tls.ca_file=x"}
	_, onLine, diags := fromFlags(f)
	if diags.HasErrors() || !reflect.DeepEqual(inFile, onLine) {
		t.Errorf("file %#v\nflags %#v %v", inFile, onLine, diags.Err())
	}
}

func TestFlagsAreRefusedByName(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Flags)
		want   string
	}{
		"no pair":         {func(f *Flags) { f.Set = []string{"bucket"} }, "--set bucket: Not name=value"},
		"unknown":         {func(f *Flags) { f.Set = []string{"bukcet=b"} }, "--set bukcet: Unknown attribute: The arbiter \"s3\": Did you mean bucket?"},
		"missing":         {func(f *Flags) { f.Set = nil }, "--set bucket=…: Missing"},
		"missing inside":  {func(f *Flags) { f.Set = append(f.Set, "tls.phrase=s3cr3t") }, "--set tls.ca_file=…: Missing"},
		"twice":           {func(f *Flags) { f.Set = append(f.Set, "bucket=c") }, "--set bucket: Given twice"},
		"wrong type":      {func(f *Flags) { f.Set = append(f.Set, "retries=many") }, "--set retries: Wrong value: A whole number is required."},
		"secret":          {func(f *Flags) { f.Set = append(f.Set, "skew=s3cr3t") }, "--set skew: Wrong value: A duration"},
		"block":           {func(f *Flags) { f.Set = append(f.Set, "tls=x") }, "--set tls: A block"},
		"map":             {func(f *Flags) { f.Set = append(f.Set, "headers=x") }, "--set headers: A map of strings"},
		"no block":        {func(f *Flags) { f.Set = append(f.Set, "region.x=y") }, "--set region.x: Not a block"},
		"election":        {func(f *Flags) { f.Election = "a/b" }, "--election: Election name \"a/b\" cannot be used"},
		"no election":     {func(f *Flags) { f.Election = "" }, "--election: Election name \"\" cannot be used"},
		"no arbiter":      {func(f *Flags) { f.Arbiter = "" }, "--arbiter: Arbiter \"\" cannot exist"},
		"no command":      {func(f *Flags) { f.Command = nil }, "COMMAND: Empty command"},
		"node":            {func(f *Flags) { f.Node = "a b" }, "--node: Node id \"a b\" cannot be used"},
		"stop too long":   {func(f *Flags) { f.StopTimeout = 3 * time.Second }, "--fence-margin: fence_margin is too short"},
		"margin too long": {func(f *Flags) { f.FenceMargin = 4 * time.Second }, "arbiter_timeout does not fit into the lease"},
		"lease too short": {func(f *Flags) { f.ArbiterLease = time.Second }, "--arbiter-lease: arbiter_timeout does not fit"},
		"log level":       {func(f *Flags) { f.LogLevel = "loud" }, "--log-level: Unknown value \"loud\""},
		"stop signal":     {func(f *Flags) { f.StopSignal = "TERM" }, "--stop-signal: Unknown value \"TERM\""},
		"api address":     {func(f *Flags) { f.APIListen = "7401" }, "--api-listen: Address \"7401\" is not host:port"},
		"api socket":      {func(f *Flags) { f.APISocket = strings.Repeat("/abcdefgh", 20) }, "--api-socket: Path of the API's socket is too long"},
	} {
		t.Run(name, func(t *testing.T) {
			f := goodFlags
			f.Set = []string{"bucket=b"}
			test.change(&f)
			_, _, diags := fromFlags(f)
			text := string(written(t, diags))
			for _, p := range diags.Problems() {
				text += p.String() + "\n"
			}
			if !diags.HasErrors() || !strings.Contains(text, test.want) {
				t.Errorf("got %s, want %s", text, test.want)
			}
			if strings.Contains(text, "s3cr3t") {
				t.Errorf("the message shows a secret: %s", text)
			}
		})
	}
}

// What an arbiter or the transport finds wrong is shown where the user wrote it.
func TestLocate(t *testing.T) {
	c, diags := load(t, "testdata/accepted/everything.hcl")
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	file := "testdata/accepted/everything.hcl"
	wrong := func(attribute string) error {
		return &core.AttributeError{Attribute: attribute, Problem: "is wrong", Advice: "mend it"}
	}
	for _, test := range []struct {
		block string
		err   error
		want  string
	}{
		{"arbiter", wrong("bucket"), `:15:16: arbiter "acme": bucket: is wrong: Mend it.`},
		{"arbiter", wrong("tls.ca_file"), `:24:15: arbiter "acme": tls.ca_file: is wrong: Mend it.`},
		{"arbiter", wrong("tls.other"), `:23:3: arbiter "acme": tls.other: is wrong: Mend it.`},
		{"arbiter", wrong("region"), `:7:1: arbiter "acme": region: is wrong: Mend it.`},
		{"arbiter", errors.New("no idea"), `:7:1: arbiter "acme" cannot be used: No idea.`},
		{"transport", wrong(`peer "db-b".address`), `:33:27: transport: peer "db-b".address: is wrong: Mend it.`},
		{"transport", wrong("node.id"), `:3:14: transport: node.id: is wrong: Mend it.`},
		{ElectionPath("orders") + ".run", wrong("command"), `:45:22: election["orders"].run: command: is wrong: Mend it.`},
	} {
		got := c.Locate(test.block, test.err).Problems()
		if len(got) != 1 || got[0].String() != file+test.want {
			t.Errorf("Locate(%s, %v) = %v, want %s", test.block, test.err, got, test.want)
		}
	}
	both := c.Locate("arbiter", errors.Join(wrong("bucket"), &core.AttributeError{Attribute: "pin", Problem: "is wrong", Err: errors.New("")}))
	if both.Len() != 2 {
		t.Errorf("two errors joined became %d diagnostics", both.Len())
	}
	if text := string(written(t, both)); strings.Contains(text, "pin.txt") || !strings.Contains(text, "pin        = ***") {
		t.Errorf("the sensitive attribute is shown:\n%s", text)
	}
}

func TestLocateFlag(t *testing.T) {
	f := goodFlags
	f.Set = []string{"bucket=b"}
	c, _, diags := fromFlags(f)
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	got := c.Locate("arbiter", &core.AttributeError{Attribute: "bucket", Problem: "is wrong"}).Problems()
	if len(got) != 1 || got[0].String() != `--set bucket: arbiter "s3": bucket: is wrong` {
		t.Errorf("%v", got)
	}
}
