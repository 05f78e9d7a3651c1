package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/internal/servers"
	"github.com/electd/electd/transport/pki"
)

// machine is one node of a test: its configuration, and the process that runs.
type machine struct {
	t      *testing.T
	name   string
	dir    string
	config string
	peer   string // address it listens on for peers
	api    *client.Client
	cmd    *exec.Cmd
	exited chan struct{}
}

// pair is two machines on one store.
type pair struct {
	t       *testing.T
	store   servers.S3
	witness *witness
	dir     string
	nodes   [2]*machine
}

// newPair configures two machines; arbiter is what stands in the arbiter block
// besides the store's own attributes.
func newPair(t *testing.T, store servers.S3, arbiter string) *pair {
	t.Helper()
	dir, err := os.MkdirTemp("", "pair-") // short enough for a Unix socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &pair{t: t, store: store, witness: newWitness(t), dir: dir}
	if _, err := pki.Init(filepath.Join(dir, "tls"), []pki.Node{{ID: "db-a", Hosts: []string{"127.0.0.1"}}, {ID: "db-b", Hosts: []string{"127.0.0.1"}}}, pki.Options{}); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"db-a", "db-b"} {
		p.nodes[i] = &machine{t: t, name: name, dir: filepath.Join(dir, name), config: filepath.Join(dir, name+".hcl"), peer: fmt.Sprintf("127.0.0.1:%d", servers.FreePort(t))}
		p.nodes[i].api, _ = client.New(filepath.Join(p.nodes[i].dir, "api.sock"), client.Options{})
	}
	for i, m := range p.nodes {
		m.write(p.text(m, p.nodes[1-i], arbiter))
	}
	t.Cleanup(func() {
		for _, m := range p.nodes {
			m.end()
		}
		p.witness.check()
		for _, m := range p.nodes {
			m.show()
		}
	})
	return p
}

func (p *pair) text(m, peer *machine, arbiter string) string {
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprintf(`node {
  id       = %q
  data_dir = %q
}
%s
transport {
  listen = %q
  peer %q {
    address = %q
  }
  tls {
    ca_file   = "tls/ca.pem"
    cert_file = "tls/%s.pem"
    key_file  = "tls/%s.key"
  }
}
election "orders" {
  run {
    command = [%q]
    env     = { %s = %q }
  }
}
`, m.name, m.dir, s3Block(p.store, arbiter), m.peer, peer.name, peer.peer, m.name, m.name, self, writerAddress, p.witness.address())
}

func s3Block(s servers.S3, more string) string {
	return fmt.Sprintf(`arbiter "s3" {
  bucket            = %q
  prefix            = "e2e"
  region            = %q
  endpoint          = %q
  path_style        = true
  access_key_id     = %q
  secret_access_key = %q
%s}`, s.Bucket, s.Region, s.Endpoint, s.AccessKeyID, s.SecretAccessKey, more)
}

func (m *machine) write(text string) {
	m.t.Helper()
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) start() {
	m.t.Helper()
	log, err := os.OpenFile(m.config+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.cmd = exec.Command(electd(), "run", "--config", m.config)
	m.cmd.Stdout, m.cmd.Stderr = log, log
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		cmd.Wait()
		close(exited)
	}(m.cmd, m.exited)
}

func (m *machine) signal(s syscall.Signal) {
	m.t.Helper()
	if err := m.cmd.Process.Signal(s); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) kill() {
	m.signal(syscall.SIGKILL)
	<-m.exited
}

// end ends the process in good order.
func (m *machine) end() {
	if m.cmd == nil {
		return
	}
	m.cmd.Process.Signal(syscall.SIGCONT)
	m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.exited:
	case <-time.After(20 * time.Second):
		m.t.Errorf("%s does not end", m.name)
		m.kill()
	}
}

// show shows the machine's log if the test failed.
func (m *machine) show() {
	if m.t.Failed() {
		m.t.Logf("log of %s:\n%s", m.name, m.log())
	}
}

func (m *machine) log() string {
	text, _ := os.ReadFile(m.config + ".log")
	return string(text)
}

// status is how the election stands on this machine; ok is false if it does not
// answer.
func (m *machine) status() (client.Election, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	e, err := m.api.Election(ctx, "orders")
	return e, err == nil
}

// wait waits until the machine's status is as asked for.
func (m *machine) wait(what string, is func(client.Election) bool) client.Election {
	m.t.Helper()
	var last client.Election
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if e, ok := m.status(); ok {
			if is(e) {
				return e
			}
			last = e
		}
	}
	m.t.Fatalf("%s: not %s within 30 s, but %+v", m.name, what, last)
	return last
}

// settle waits until one leads on heartbeats alone and the other one follows, and
// knows that: what it last heard of may be the arbiter's lease, which is longer.
func (p *pair) settle() (leader, follower *machine, epoch uint64) {
	p.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		for i, m := range p.nodes {
			e, ok := m.status()
			if !ok || !e.Leading || e.ArbiterMS != 0 || len(e.Peers) != 1 || !e.Peers[0].Acknowledges || !e.Peers[0].Eligible {
				continue
			}
			if f, ok := p.nodes[1-i].status(); ok && f.Role == "follower" && f.Leader == m.name && f.FreeInMS <= e.HeartbeatLeaseMS {
				return m, p.nodes[1-i], e.Epoch
			}
		}
	}
	p.t.Fatal("the pair does not settle")
	return nil, nil, 0
}

// late is what a failover may take over the heartbeat lease on a busy machine.
const late = 3 * time.Second

const heartbeatLease = 1500 * time.Millisecond

func TestPairOnARealStore(t *testing.T) {
	for _, plugin := range []struct{ name, block string }{
		{"built in", ""},
		{"stand-alone", fmt.Sprintf("  plugin {\n    path = %q\n  }\n", "PLUGIN")},
	} {
		t.Run(plugin.name, func(t *testing.T) {
			t.Parallel()
			block := strings.ReplaceAll(plugin.block, "PLUGIN", filepath.Join(binaries, "electd-arbiter-s3"))
			p := newPair(t, servers.Versitygw(t), block)
			for _, m := range p.nodes {
				m.start()
			}
			p.killed()
			p.frozen()
			p.steppedDown()
			p.ended()
		})
	}
}

// killed: after kill -9 of the leader the other one's program writes within the
// heartbeat lease, one epoch up.
func (p *pair) killed() {
	leader, follower, epoch := p.settle()
	at := time.Now()
	leader.kill()
	next := p.witness.writerAfter(epoch, heartbeatLease+late)
	p.t.Logf("kill: the next program writes after %s", next.at.Sub(at))
	if next.node != follower.name || next.epoch != epoch+1 {
		p.t.Errorf("after the kill %s writes at epoch %d, want %s at %d", next.node, next.epoch, follower.name, epoch+1)
	}
	leader.start()
}

// frozen: a leader stopped past its lease loses it, its program is dead before
// the other one's starts, and when it is thawed it follows.
func (p *pair) frozen() {
	leader, follower, epoch := p.settle()
	at := time.Now()
	leader.signal(syscall.SIGSTOP)
	next := p.witness.writerAfter(epoch, heartbeatLease+late)
	p.t.Logf("freeze: the next program writes after %s", next.at.Sub(at))
	if next.node != follower.name || next.epoch != epoch+1 {
		p.t.Errorf("after the freeze %s writes at epoch %d, want %s at %d", next.node, next.epoch, follower.name, epoch+1)
	}
	time.Sleep(heartbeatLease)
	leader.signal(syscall.SIGCONT)
	leader.wait("following after the thaw", func(e client.Election) bool {
		if e.Leading {
			p.t.Errorf("a thawed leader says it leads at epoch %d", e.Epoch)
		}
		return e.Role == "follower" && e.Leader == follower.name
	})
}

// steppedDown: the command hands over to the named node and waits for it.
func (p *pair) steppedDown() {
	leader, follower, epoch := p.settle()
	at := time.Now()
	out, err := exec.Command(electd(), "step-down", "orders", "--to", follower.name, "--wait", "--config", leader.config).CombinedOutput()
	if err != nil {
		p.t.Fatalf("step-down: %v\n%s", err, out)
	}
	if want := fmt.Sprintf("%s leads at epoch %d", follower.name, epoch+1); !strings.Contains(string(out), want) {
		p.t.Errorf("step-down says %q, want %q in it", out, want)
	}
	next := p.witness.writerAfter(epoch, heartbeatLease)
	p.t.Logf("step-down: the next program writes after %s", next.at.Sub(at))
	p.settle()
}

// ended: SIGTERM releases, so that the other one leads without waiting.
func (p *pair) ended() {
	leader, follower, epoch := p.settle()
	leader.signal(syscall.SIGTERM)
	<-leader.exited
	if code := leader.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("electd ended by SIGTERM with status %d", code)
	}
	at := time.Now()
	next := p.witness.writerAfter(epoch, heartbeatLease)
	if waited := next.at.Sub(at); waited > heartbeatLease/2 || next.node != follower.name {
		p.t.Errorf("after a release %s writes %s after the old leader ended", next.node, waited)
	}
}
