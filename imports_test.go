package electd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/electd/electd/"

// rules say who may import whom (docs/architecture.md). A package is bound by
// the first rule whose prefix fits it.
var rules = []struct {
	prefix string   // of packages, below the module
	may    []string // prefixes of our packages that they may import, themselves excepted
	never  []string // packages of others that they may not import; "x/..." bans all below
	why    string
}{
	{"core/node", []string{"core", "transport"}, nil,
		"the driver knows the protocol and the transport's interface, nothing that can be configured"},
	{"core/sim", []string{"core", "transport"}, nil,
		"the simulator proves the core as it is, without the rest"},
	{"core", nil, []string{"os", "os/...", "net", "net/...", "log", "log/...", "sync", "sync/...", "math/rand", "math/rand/v2", "runtime"},
		"the protocol is pure: no I/O, clock, randomness, logging or goroutine"},
	{"arbiter/etcd/etcdtest", []string{"core", "arbiter", "internal/servers"}, nil, "what starts a server for tests"},
	{"arbiter/postgres/pgtest", []string{"core", "arbiter", "internal/servers"}, nil, "what starts a server for tests"},
	{"arbiter", []string{"core", "arbiter/internal", "arbiter/probe"}, nil,
		"an arbiter only stores; it knows neither the election nor other arbiters"},
	{"transport", []string{"core"}, nil,
		"a transport carries messages; it knows nothing of what they decide"},
	{"plugins/electd-arbiter-", []string{"core", "arbiter", "plugins"}, nil,
		"a plugin's program serves one arbiter"},
	{"plugins/verify", []string{"core", "plugins", "arbiter/arbitertest"}, nil,
		"verifying a plugin is the conformance kit across the boundary"},
	{"plugins", []string{"core"}, nil,
		"the process boundary is the same for every arbiter"},
	{"client/clienttest", []string{"client", "internal/servers"}, nil, "what starts a pair for tests"},
	{"client", []string{}, nil,
		"programs beside the daemon take no more of it than its API"},
	{"internal/servers", []string{"arbiter", "internal/ports"}, nil,
		"what starts real servers for tests knows only the one that is ours"},
	{"internal/build", nil, nil, "what builds programs for tests needs none of them"},
	{"internal/ports", nil, nil, "what hands out ports needs nothing of ours"},
	{"internal/handover", []string{"core"}, nil, "what times a release knows no arbiter"},
	{"examples", []string{"core", "client", "arbiter", "plugins", "transport"}, nil,
		"an example uses what a user could"},
	{"cmd/electd", []string{"core", "client", "arbiter", "plugins", "transport", "internal/ports"}, nil,
		"the daemon puts everything together"},
}

// owners are the only packages that may import a library of others.
var owners = []struct {
	library string
	owner   []string
	why     string
}{
	{"github.com/hashicorp/go-plugin", []string{"plugins"}, "the plugin mechanism can be replaced in one place"},
	{"github.com/hashicorp/hcl/v2", []string{"cmd/electd/internal/config"}, "the configuration language can be replaced in one place"},
	{"github.com/prometheus/client_golang", []string{"cmd/electd/internal/api"}, "what is measured is said in terms of our own"},
	{"go.opentelemetry.io/otel", []string{"cmd/electd/internal/telemetry"}, "what is traced is said in terms of our own"},
	{"github.com/hashicorp/memberlist", []string{"arbiter/bully"}, "only one arbiter gossips"},
	{"github.com/aws/aws-sdk-go-v2", []string{"arbiter/s3"}, "only one arbiter speaks S3"},
	{"cloud.google.com/go", []string{"arbiter/gcs"}, "only one arbiter speaks GCS"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists every package of the module with what it imports, tests aside.
func packages(t *testing.T) []listed {
	t.Helper()
	text, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var out []listed
	for d := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
}

func TestWhoMayImportWhom(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		ruled := false
		for _, rule := range rules {
			if !below(name, rule.prefix) {
				continue
			}
			ruled = true
			for _, imported := range p.Imports {
				if ours, ok := strings.CutPrefix(imported, module); ok {
					if !below(ours, rule.prefix) && !belowAny(ours, rule.may) {
						t.Errorf("%s imports %s: %s", name, ours, rule.why)
					}
				} else if banned(imported, rule.never) {
					t.Errorf("%s imports %s: %s", name, imported, rule.why)
				}
			}
			break
		}
		if !ruled && name != strings.TrimSuffix(module, "/") {
			t.Errorf("no rule says what %s may import: give it one", name)
		}
	}
}

// TestArbitersDoNotKnowEachOther is the part of the rule that prefixes cannot say.
func TestArbitersDoNotKnowEachOther(t *testing.T) {
	shared := []string{"internal", "probe"}
	for _, p := range packages(t) {
		name, ok := strings.CutPrefix(p.ImportPath, module+"arbiter/")
		if !ok {
			continue
		}
		own, _, _ := strings.Cut(name, "/")
		for _, imported := range p.Imports {
			other, ok := strings.CutPrefix(imported, module+"arbiter/")
			if !ok {
				continue
			}
			first, _, _ := strings.Cut(other, "/")
			if first == "arbitertest" && strings.HasSuffix(name, "test") {
				continue // what starts a server for tests may run the kit on it
			}
			if first != own && !belowAny(first, shared) && own != "internal" && own != "arbitertest" {
				t.Errorf("arbiter/%s imports arbiter/%s: arbiters do not know each other", name, other)
			}
		}
	}
}

func TestLibrariesHaveOneOwner(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		for _, o := range owners {
			for _, imported := range p.Imports {
				if below(imported, o.library) && !belowAny(name, o.owner) && !strings.HasPrefix(name, "arbiter/internal") {
					t.Errorf("%s imports %s, which belongs to %v: %s", name, imported, o.owner, o.why)
				}
			}
		}
	}
}

// below reports whether a path is the prefix, or lies below it; a prefix that
// ends in "-" stands for every name that begins with it.
func below(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/") || strings.HasSuffix(prefix, "-") && strings.HasPrefix(path, prefix)
}

func belowAny(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if below(path, p) {
			return true
		}
	}
	return false
}

func banned(path string, never []string) bool {
	for _, n := range never {
		if root, all := strings.CutSuffix(n, "/..."); path == n || all && strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}
