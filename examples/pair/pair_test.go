// Package pair_test runs the example on a real S3 server: its two configurations
// with addresses, folders and the server's place put in.
package pair_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/internal/build"
	"github.com/electd/electd/internal/servers"
)

// programs is the folder with electd.
var programs string

func TestMain(m *testing.M) {
	os.Exit(build.Into(func(folder string) int {
		programs = folder
		return m.Run()
	}, build.Electd))
}

func electd(args ...string) *exec.Cmd {
	return exec.Command(filepath.Join(programs, "electd"), args...)
}

// output runs electd to its end and returns what it printed.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := electd(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("electd %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestTheConfigurationsAreValidAsTheyAre, and are the README's.
func TestTheConfigurationsAreValidAsTheyAre(t *testing.T) {
	for _, name := range []string{"db-a.hcl", "db-b.hcl"} {
		if out := output(t, "validate", "--elsewhere", "--config", name); !strings.Contains(out, "1.5s") {
			t.Errorf("%s: %s", name, out)
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("db-a.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```hcl\n"+string(example)+"```") {
		t.Error("the README's configuration is not that of examples/pair/db-a.hcl")
	}
}

// machine is one of the example's two.
type machine struct {
	name, config string
	api          *client.Client
	process      *exec.Cmd
	log          *os.File
}

// place copies a configuration and puts in what is another on this machine.
func place(t *testing.T, folder, name string, store servers.S3, addresses map[string]string) *machine {
	t.Helper()
	text, err := os.ReadFile(name + ".hcl")
	if err != nil {
		t.Fatal(err)
	}
	worker, err := filepath.Abs("orders-worker")
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(folder, name)
	changes := strings.NewReplacer(
		"/var/lib/electd", data,
		"/etc/electd", filepath.Join(folder, "tls"),
		"/usr/local/bin/orders-worker", worker,
		"10.0.0.1:7400", addresses["db-a"], "10.0.0.2:7400", addresses["db-b"],
		"acme-ha", store.Bucket,
		`region = "eu-west-1"`, fmt.Sprintf("region = %q\n  endpoint = %q\n  path_style = true", store.Region, store.Endpoint),
	)
	m := &machine{name: name, config: filepath.Join(folder, name+".hcl")}
	if err := os.WriteFile(m.config, []byte(changes.Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	if m.api, err = client.New(filepath.Join(data, "api.sock"), client.Options{}); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) start(t *testing.T, store servers.S3) {
	t.Helper()
	var err error
	if m.log, err = os.Create(m.config + ".log"); err != nil {
		t.Fatal(err)
	}
	m.process = electd("run", "--config", m.config)
	m.process.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID="+store.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+store.SecretAccessKey)
	m.process.Stdout, m.process.Stderr = m.log, m.log
	if err := m.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.process.Process.Signal(syscall.SIGTERM)
		m.process.Wait()
		if t.Failed() {
			t.Logf("log of %s:\n%s", m.name, m.logged())
		}
	})
}

func (m *machine) logged() string {
	text, _ := os.ReadFile(m.log.Name())
	return string(text)
}

// works waits until the machine's worker says that it works, and at which epoch.
func (m *machine) works(t *testing.T, epoch int) {
	t.Helper()
	working := regexp.MustCompile(fmt.Sprintf("epoch %d: %s works", epoch, m.name))
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if working.MatchString(m.logged()) {
			return
		}
	}
	t.Fatalf("%s does not work at epoch %d", m.name, epoch)
}

// settled waits until one leads, and the other one acknowledges and need not wait
// for more than the heartbeats to end.
func settled(t *testing.T, a, b *machine) (leader, follower *machine, epoch int) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for _, m := range []*machine{a, b} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			other := a
			if m == a {
				other = b
			}
			e, err := m.api.Election(ctx, "orders")
			f, err2 := other.api.Election(ctx, "orders")
			cancel()
			if err == nil && err2 == nil && e.Leading && e.ArbiterMS == 0 && e.Peers[0].Acknowledges && e.Peers[0].Eligible &&
				f.Leader == m.name && f.FreeInMS <= e.HeartbeatLeaseMS {
				return m, other, int(e.Epoch)
			}
		}
	}
	t.Fatal("the pair does not settle")
	return nil, nil, 0
}

func TestThePairRuns(t *testing.T) {
	store := servers.Versitygw(t)
	folder, err := os.MkdirTemp("", "p-") // short enough for Unix sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	output(t, "tls", "init", "--dir", filepath.Join(folder, "tls"), "db-a=127.0.0.1", "db-b=127.0.0.1")
	addresses := map[string]string{}
	for _, name := range []string{"db-a", "db-b"} {
		addresses[name] = fmt.Sprintf("127.0.0.1:%d", servers.FreePort(t))
	}
	a, b := place(t, folder, "db-a", store, addresses), place(t, folder, "db-b", store, addresses)
	output(t, "validate", "--config", a.config)
	a.start(t, store)
	b.start(t, store)

	leader, follower, epoch := settled(t, a, b)
	leader.works(t, epoch)

	var status client.Node
	if err := json.Unmarshal([]byte(output(t, "status", "--json", "--config", follower.config)), &status); err != nil || status.Elections[0].Leader != leader.name {
		t.Errorf("status of the follower: %+v, %v", status, err)
	}
	if out := output(t, "step-down", "orders", "--wait", "--config", leader.config); !strings.Contains(out, fmt.Sprintf("%s leads at epoch %d", follower.name, epoch+1)) {
		t.Errorf("step-down: %s", out)
	}
	follower.works(t, epoch+1)

	leader, follower, epoch = settled(t, a, b)
	if err := leader.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	follower.works(t, epoch+1)
}
