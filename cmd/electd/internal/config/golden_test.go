package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/electd/electd/plugins"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// storeSchema stands for an arbiter's: one attribute of each type.
var storeSchema = plugins.Schema{Attributes: []plugins.Attribute{
	{Name: "bucket", Type: plugins.TypeString, Required: true, Doc: "Name of the bucket."},
	{Name: "prefix", Type: plugins.TypeString, Doc: "In front of every key."},
	{Name: "region", Type: plugins.TypeString, Doc: "Where the bucket is."},
	{Name: "path_style", Type: plugins.TypeBool, Doc: "Bucket in the path."},
	{Name: "retries", Type: plugins.TypeInt, Doc: "Of reads."},
	{Name: "skew", Type: plugins.TypeDuration, Doc: "Of the store's clock."},
	{Name: "share", Type: plugins.TypeFloat, Doc: "A fraction."},
	{Name: "hosts", Type: plugins.TypeStringList, Doc: "To try."},
	{Name: "headers", Type: plugins.TypeStringMap, Doc: "To send."},
	{Name: "pin", Type: plugins.TypeString, Sensitive: true, Doc: "A secret whose name does not say so."},
	{Name: "tls", Type: plugins.TypeBlock, Doc: "Own authority.", Block: &plugins.Schema{Attributes: []plugins.Attribute{
		{Name: "ca_file", Type: plugins.TypeString, Required: true, Doc: "The authority's certificate."},
		{Name: "phrase", Type: plugins.TypeString, Sensitive: true, Doc: "Opens the key."},
	}}},
}}

// endpoint stands for what makes a store not its operator's own.
var endpoint = plugins.Attribute{Name: "endpoint", Type: plugins.TypeString, Doc: "URL of the store."}

// load loads a file as the daemon does: the arbiter block after the rest.
func load(t *testing.T, path string) (*Config, Diagnostics) {
	t.Helper()
	c, diags := Load(path)
	if c == nil {
		return nil, diags
	}
	_, more := c.DecodeArbiter(storeSchema)
	return c, diags.Append(more)
}

// golden compares got with the file at path, or rewrites it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update rewrites it):\n--- got\n%s--- want\n%s", path, got, want)
	}
}

// Every file in testdata/refused is refused with exactly the text beside it.
func TestRefused(t *testing.T) {
	t.Setenv("SECRET_IN_ENVIRONMENT", "s3cr3t-from-env")
	for _, path := range files(t, "testdata/refused/*.hcl") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			_, diags := load(t, path)
			if !diags.HasErrors() {
				t.Error("accepted")
			}
			golden(t, strings.TrimSuffix(path, ".hcl")+".txt", written(t, diags))
		})
	}
}

// Every file in testdata/accepted is accepted, with exactly the warnings and
// consequences beside it.
func TestAccepted(t *testing.T) {
	for _, path := range files(t, "testdata/accepted/*.hcl") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, diags := load(t, path)
			if diags.HasErrors() {
				t.Fatalf("refused:\n%s", written(t, diags))
			}
			out := bytes.NewBuffer(written(t, diags))
			if err := c.Consequences().Write(out); err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(path, ".hcl")+".txt", out.Bytes())
			for _, e := range c.Elections { // what core/node needs of any election
				if e.HeartbeatLease <= e.FenceMargin || e.ArbiterLease <= e.FenceMargin || e.HeartbeatLease >= e.ArbiterLease {
					t.Errorf("election %q: heartbeat lease %s, arbiter lease %s, margin %s", e.Name, e.HeartbeatLease, e.ArbiterLease, e.FenceMargin)
				}
			}
		})
	}
}

// No message shows a secret, wherever it stands.
func TestSecretsAreNotShown(t *testing.T) {
	t.Setenv("SECRET_IN_ENVIRONMENT", "s3cr3t-from-env")
	for _, path := range files(t, "testdata/refused/*.hcl") {
		_, diags := load(t, path)
		text := string(written(t, diags)) + diags.Err().Error()
		if strings.Contains(text, "s3cr3t") {
			t.Errorf("%s: the message shows a secret:\n%s", path, text)
		}
	}
}

func files(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no files (%v)", pattern, err)
	}
	return paths
}

func written(t testing.TB, diags Diagnostics) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := diags.Write(&b, 100, false); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
