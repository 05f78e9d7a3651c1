package bully

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/electd/electd/core"
)

func TestConfigurationMistakesAreNamed(t *testing.T) {
	t.Parallel()
	secret := base64.StdEncoding.EncodeToString([]byte("seventeen bytes!!"))
	for name, test := range map[string]struct {
		change    func(*Config)
		attribute string
		says      string
	}{
		"no node":             {func(c *Config) { c.Node = "" }, "node", "missing"},
		"no voters":           {func(c *Config) { c.Voters = nil }, "voters", "0 voters"},
		"a voter twice":       {func(c *Config) { c.Voters = []string{"a", "b", "b"} }, "voters", `"b" is listed twice`},
		"a nameless voter":    {func(c *Config) { c.Voters = []string{"a", "b", ""} }, "voters", "without a name"},
		"two voters":          {func(c *Config) { c.Voters = []string{"a", "b"}; c.Addresses = nil }, "voters", "cannot outvote"},
		"ten voters":          {func(c *Config) { c.Voters = strings.Split("abcdefghij", "") }, "voters", "between 1 and 9"},
		"no disk":             {func(c *Config) { c.DataDir = "" }, "data_dir", "must remember"},
		"a file for a disk":   {func(c *Config) { c.DataDir = os.Args[0] }, "data_dir", "no directory"},
		"no such profile":     {func(c *Config) { c.Profile = "mars" }, "profile", "lan, wan, local or fast"},
		"negative time":       {func(c *Config) { c.PreemptAfter = -time.Second }, "preempt_after", "negative"},
		"no port":             {func(c *Config) { c.VoteListen = "127.0.0.1" }, "vote_listen", "host:port"},
		"no port to join":     {func(c *Config) { c.Join = []string{"db-b"} }, "join", "host:port"},
		"a port too high":     {func(c *Config) { c.VoteListen = "127.0.0.1:65536" }, "vote_listen", "no number up to 65535"},
		"a port in words":     {func(c *Config) { c.Bind = "127.0.0.1:gossip" }, "bind", "no number up to 65535"},
		"one port for two":    {func(c *Config) { c.Bind = "0.0.0.0" + c.VoteListen[strings.LastIndex(c.VoteListen, ":"):] }, "bind", "takes the port of vote_listen"},
		"nobody to join":      {func(c *Config) { c.Join = []string{":7946"} }, "join", "names no host"},
		"port 0 to call":      {func(c *Config) { c.VoteAdvertise = "127.0.0.1:0" }, "vote_advertise", "port 0 cannot be called"},
		"a port out of range": {func(c *Config) { c.Advertise = "127.0.0.1:99999" }, "advertise", "no number up to 65535"},
		"one address for two": {func(c *Config) { c.Addresses["c"] = c.Addresses["b"] }, "addresses", "b and c are both at"},
		"a voter's bad port":  {func(c *Config) { c.Addresses["c"] = "127.0.0.1:-1" }, "addresses", "of c is no address"},
		"a stranger's port":   {func(c *Config) { c.Addresses = map[string]string{"x": "127.0.0.1:1"} }, "addresses", `"x" is no voter`},
		"nobody to be found":  {func(c *Config) { c.Addresses = map[string]string{"b": "127.0.0.1:1"} }, "addresses", `voter "c" is missing`},
		"key of odd length":   {func(c *Config) { c.GossipKey = secret }, "gossip_key", "17 bytes"},
		"key that is no key":  {func(c *Config) { c.GossipKey = "hunter2!" }, "gossip_key", "base64"},
		"old keys alone":      {func(c *Config) { c.GossipKeys = []string{secret} }, "gossip_keys", "gossip_key is missing"},
		"votes in the clear":  {func(c *Config) { c.VoteListen = "0.0.0.0:0" }, "insecure", "not on loopback"},
		"votes without tls":   {func(c *Config) { c.Insecure = false }, "tls", "missing"},
		"tls and not":         {func(c *Config) { c.TLS = &TLS{} }, "insecure", "contradicts"},
		"tls without files":   {func(c *Config) { c.Insecure, c.TLS = false, &TLS{} }, "tls.ca_file", "missing"},
		"tls with lost files": {func(c *Config) { c.Insecure, c.TLS = false, &TLS{"/no", "/no", "/no"} }, "tls.ca_file", "cannot be read"},
		"a port that is used": {func(c *Config) { c.VoteListen = used }, "vote_listen", "cannot listen"},
		"a host that is none": {func(c *Config) { c.Bind, c.Advertise = "127.0.0.1:0", "no-such-host.invalid" }, "advertise", "does not resolve"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 3)
			if strings.HasPrefix(name, "a port") {
				c.start("b")
				used = c.address["b"]
			}
			config := c.configOf("a")
			config.AllowSmall = false
			test.change(&config)
			a, err := New(t.Context(), config)
			if err == nil {
				_ = a.Close()
				t.Fatal("accepted")
			}
			var wrong *core.AttributeError
			if !errors.As(err, &wrong) || wrong.Attribute != test.attribute || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v; want %s: … %s", err, test.attribute, test.says)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), secret) {
				t.Errorf("a key is told: %v", err)
			}
		})
	}
}

var used string

func TestSmallAndEvenElectoratesAreWarnedOf(t *testing.T) {
	t.Parallel()
	config := Config{Node: "a", Insecure: true, VoteListen: "127.0.0.1:0", Bind: "127.0.0.1:0", DataDir: t.TempDir(), AllowSmall: true}
	for voters, says := range map[string]string{"abcd": "2 to 2 has no majority on either side", "ab": "if any of them is down", "abc": ""} {
		config.Voters = strings.Split(voters, "")
		warnings, err := config.Check()
		if err != nil || !strings.Contains(strings.Join(warnings, "\n"), says) || says == "" && len(warnings) > 0 {
			t.Errorf("%d voters: %q, %v; want %q", len(voters), warnings, err, says)
		}
	}
	config.Voters = strings.Split("abc", "")
	for says, change := range map[string]func(*Config){
		"z is no voter: it never votes": func(c *Config) { c.Node = "z" },
		"votes at 127.0.0.1:7001, and it listens on 127.0.0.1:7002": func(c *Config) {
			c.Addresses, c.VoteListen = map[string]string{"a": "127.0.0.1:7001"}, "127.0.0.1:7002"
		},
	} {
		odd := config
		change(&odd)
		if warnings, err := odd.Check(); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], says) {
			t.Errorf("%q, %v; want %q", warnings, err, says)
		}
	}
	if bound := config.FailoverBound(DefaultArbiterLease); bound > DefaultArbiterLease+time.Second {
		t.Errorf("failover by default within %v", bound)
	}
	config.Profile = "fast"
	if bound := config.FailoverBound(FastArbiterLease); bound > 1500*time.Millisecond {
		t.Errorf("failover in the fast profile within %v", bound)
	}
}

// Two nodes with one id, each on its own disk and port.
func TestSameNodeIDTwiceIsNamed(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	v := c.mustSwap("c", lease, "", "one")
	twin := c.configOf("c")
	twin.DataDir, twin.VoteListen = filepath.Join(c.dir, "twin"), "127.0.0.1:0"
	second, err := New(t.Context(), twin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	c.problem("a", `node id "c" is used from a data directory that is not the admitted one`)
	eventually(t, "the twin says why it does not vote", func() error {
		_, err := second.Read(within(t, time.Second), lease)
		if err == nil {
			t.Fatal("the twin was admitted while the first one lives")
		}
		if !strings.Contains(err.Error(), "still hears another process with that node id") {
			return err
		}
		if strings.Contains(err.Error(), "not reached") {
			t.Errorf("voters that answered and refused are not reached: %v", err)
		}
		return nil
	})
	told := map[string]bool{}
	for range 40 { // more rounds than one
		told[strings.Join(second.Problems(), "\n")] = true
		time.Sleep(25 * time.Millisecond)
	}
	if len(told) > 2 { // it may have begun with none of the others being known
		t.Errorf("the twin tells its problems in %d ways", len(told))
	}
	c.stop("b")
	c.expect("c", lease, "one", v) // the first one still votes
}

// Two clusters whose nodes meet on one address.
func TestTwoClustersOnOneAddress(t *testing.T) {
	t.Parallel()
	one, two := newCluster(t, 3), newCluster(t, 3)
	one.config = func(c *Config) { c.Cluster = "one" }
	one.start("a", "b", "c")
	one.ready()
	two.config = func(c *Config) { c.Cluster = "two" }
	two.address["c"] = one.address["c"] // a mistake: that is where one's c votes
	two.start("a", "b")
	two.problem("a", "two clusters meet there, or the lists differ")
	if all := strings.Join(two.nodes["a"].Problems(), "\n"); strings.Contains(all, "c does not answer") {
		t.Errorf("c answers, for another cluster:\n%s", all)
	}
	one.problem("c", `a node "a" with other voters or another cluster name calls here`)
	one.mustSwap("a", lease, "", "one")
	if _, ok := two.may("a", "", "two"); ok {
		t.Error("a vote of another cluster was counted")
	}
}

// The same, with equal names and voters: only the founding tells them apart.
func TestTwoClustersOfTheSameName(t *testing.T) {
	t.Parallel()
	one, two := newCluster(t, 3), newCluster(t, 3)
	for _, c := range []*cluster{one, two} {
		c.start("a", "b", "c")
		c.ready()
	}
	v1, v2 := one.mustSwap("a", lease, "", "one"), two.mustSwap("a", lease, "", "two")
	for _, c := range []*cluster{one, two} {
		c.stop("a", "c")
	}
	one.address["c"], two.address["a"] = two.address["c"], one.address["a"]
	one.start("a")
	two.start("c")
	one.stop("b")
	two.stop("b")
	one.problem("a", "belongs to another cluster with the same name and voters")
	if _, ok := one.may("a", v1, "mixed"); ok {
		t.Error("a vote of another founding was counted")
	}
	if _, ok := two.may("c", v2, "mixed"); ok {
		t.Error("a vote of another founding was counted")
	}
}

func TestVoterWhoseNameDoesNotResolve(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.withTLS()
	c.start("a", "b", "c")
	c.ready()
	c.stop("a")
	c.address["c"] = "no-such-host.invalid:1"
	c.start("a")
	v := c.mustSwap("a", lease, "", "one") // with b
	c.problem("a", "no-such-host.invalid")
	c.stop("b")
	if _, err := c.swap("a", lease, v, "two"); !errors.Is(err, core.ErrUnavailable) || !strings.Contains(err.Error(), "no-such-host.invalid") {
		t.Errorf("the name is not named: %v", err)
	}
}

func TestRecordsAndKeysOfAnySize(t *testing.T) {
	t.Parallel()
	c := newCluster(t, 3)
	c.start("a", "b", "c")
	c.ready()
	for _, record := range []string{"", strings.Repeat("x", maxRecord+1)} {
		if _, err := c.swap("a", lease, "", record); core.WriteOutcome(err) != core.Invalid {
			t.Errorf("a record of %d bytes: %v", len(record), err)
		}
	}
	for _, key := range []string{"", strings.Repeat("k", maxKey+1)} {
		if _, err := c.swap("a", key, "", "x"); core.WriteOutcome(err) != core.Invalid {
			t.Errorf("a key of %d bytes: %v", len(key), err)
		}
		if _, err := c.read("a", key); err == nil {
			t.Errorf("a key of %d bytes is read", len(key))
		}
	}
}
