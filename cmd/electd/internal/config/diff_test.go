package config

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// changed returns Diff between everything.hcl and the same with replacements.
func changed(t *testing.T, replace ...string) []Change {
	t.Helper()
	text, err := os.ReadFile("testdata/accepted/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.NewReplacer(replace...).Replace(string(text))
	return Diff(decoded(t, string(text)), decoded(t, edited))
}

func decoded(t *testing.T, text string) *Config {
	t.Helper()
	c, diags := parse("x.hcl", "testdata/accepted", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	if _, diags := c.DecodeArbiter(storeSchema); diags.HasErrors() {
		t.Fatal(diags.Err())
	}
	return c
}

func TestDiff(t *testing.T) {
	for name, test := range map[string]struct {
		replace []string
		want    []string
	}{
		"nothing":     {nil, nil},
		"spaces only": {[]string{"  ", "      "}, nil},
		"a timing": {[]string{`"900ms"`, `"950ms"`},
			[]string{`election["orders"].fence_margin: 900ms → 950ms`}},
		"the node": {[]string{`id       = "db-a"`, `id = "db-x"`},
			[]string{`node.id: "db-a" → "db-x" (needs a restart: peers and records know the node by it)`}},
		"a peer's address": {[]string{"db-b.example:7400", "db-b.example:7500"},
			[]string{`transport.peer["db-b"].address: "db-b.example:7400" → "db-b.example:7500" (needs a restart: the connections are set up when electd starts)`}},
		"another peer": {[]string{`peer "db-b"`, `peer "db-c"`},
			[]string{`transport.peer["db-b"]: present → none (needs a restart: the connections are set up when electd starts)`,
				`transport.peer["db-c"]: none → added (needs a restart: the connections are set up when electd starts)`}},
		"an election renamed": {[]string{`election "invoices"`, `election "letters"`},
			[]string{`election["invoices"]: present → none`, `election["letters"]: none → added`}},
		"the program": {[]string{`"--x"`, `"--y"`},
			[]string{`election["orders"].run.command: ["testdata/accepted/worker" "--x"] → ["testdata/accepted/worker" "--y"]`}},
		"a program's environment, maybe secret": {[]string{`MODE = "active"`, `MODE = "s3cr3t"`},
			[]string{`election["orders"].run.env: ["MODE"] → with other values`}},
		"the arbiter's bucket": {[]string{`"ha")}"`, `"hb")}"`},
			[]string{`arbiter.bucket: "acme-ha" → "acme-hb" (needs a restart: the arbiter's process is configured once)`}},
		"the arbiter's secret": {[]string{`"s3cr3t"`, `"s3cr3t2"`},
			[]string{`arbiter.tls.phrase: a secret → another (needs a restart: the arbiter's process is configured once)`}},
		"the arbiter": {[]string{`arbiter "acme"`, `arbiter "umbra"`},
			[]string{`arbiter: "acme" → "umbra" (needs a restart: the arbiter's process is configured once)`}},
		"the plugin": {[]string{`"DEBUG"`, `"TRACE"`},
			[]string{`arbiter.plugin.env: ["ACME_*" "DEBUG"] → ["ACME_*" "TRACE"]`}},
		"the watchdog gone": {[]string{"watchdog {\n  device     = \"/dev/watchdog1\"\n  mode       = \"required\"\n  timeout    = \"1s\"\n  on_overrun = \"reset\"\n}", ""},
			[]string{`watchdog: present → none (needs a restart: the device is opened once)`}},
		"a hook gone": {[]string{"hook \"fence\" {\n    command = [\"fence\"]\n    timeout = \"100ms\"\n    env     = { A = \"b\" }\n  }", ""},
			[]string{`election["orders"].hook["fence"]: present → none`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range changed(t, test.replace...) {
				got = append(got, c.String())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
		})
	}
}
