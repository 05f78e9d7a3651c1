package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/electd/electd/client"
	"github.com/electd/electd/core"
	"github.com/electd/electd/core/node"
	"github.com/electd/electd/internal/ports"
	"github.com/electd/electd/transport/pki"
)

// election is the name of the demo's only election.
const election = "demo"

// clock is the one clock that every process of this machine reads.
var clock = node.SystemClock()

// timing is what an election of the demo is configured with.
type timing struct {
	lease time.Duration // heartbeat_lease
	text  string        // in the configuration
}

// defaults are electd's own timings.
var defaults = timing{lease: 1500 * time.Millisecond}

// world is the demo's machines: processes, their store, and what their guards said.
type world struct {
	program string // electd
	timing  timing
	dir     string
	store   *store
	line    *timeline
	nodes   []*process
}

// configuration is what every node of the demo runs with.
var configuration = template.Must(template.New("config").Parse(`node {
  id       = "{{.Name}}"
  data_dir = "{{.Dir}}/{{.Name}}"
}
arbiter "s3" {
  bucket            = "{{.Bucket}}"
  prefix            = "demo"
  region            = "us-east-1"
  endpoint          = "{{.Endpoint}}"
  path_style        = true
  access_key_id     = "{{.AccessKey}}"
  secret_access_key = "{{.SecretKey}}"
}
transport {
  listen = "{{index .Addresses .Name}}"
{{- range $peer, $address := .Addresses}}{{if ne $peer $.Name}}
  peer "{{$peer}}" {
    address = "{{$address}}"
  }
{{- end}}{{end}}
  tls {
    ca_file   = "{{.Dir}}/tls/ca.pem"
    cert_file = "{{.Dir}}/tls/{{.Name}}.pem"
    key_file  = "{{.Dir}}/tls/{{.Name}}.key"
  }
}
election "{{.Election}}" {
{{.Timing}}}
`))

// newWorld makes two machines, in a folder of their own, without starting them.
// An empty program is the running one.
func newWorld(program string, timing timing) (*world, error) {
	if program == "" {
		var err error
		if program, err = image(); err != nil {
			return nil, err
		}
	}
	dir, err := makeFolder()
	if err != nil {
		return nil, err
	}
	w := &world{program: program, timing: timing, dir: dir, line: newTimeline()}
	if err := w.build([]string{"db-a", "db-b"}); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// makeFolder makes the demo's folder where the names of the nodes' sockets do not
// become too long, which some systems' temporary folders are.
func makeFolder() (string, error) {
	const longest = 60
	parent := os.TempDir()
	if len(parent) > longest {
		parent = "/tmp"
	}
	return os.MkdirTemp(parent, "demo-electd-")
}

func (w *world) build(names []string) (err error) {
	if w.store, err = startStore(); err != nil {
		return err
	}
	addresses := map[string]string{}
	var certificates []pki.Node
	for _, name := range names {
		if addresses[name], err = ports.Address(); err != nil {
			return err
		}
		certificates = append(certificates, pki.Node{ID: name, Hosts: []string{"127.0.0.1"}})
	}
	if _, err := pki.Init(filepath.Join(w.dir, "tls"), certificates, pki.Options{}); err != nil {
		return err
	}
	for _, name := range names {
		p, err := w.configure(name, addresses)
		if err != nil {
			return err
		}
		w.nodes = append(w.nodes, p)
	}
	return nil
}

func (w *world) configure(name string, addresses map[string]string) (*process, error) {
	var text strings.Builder
	err := configuration.Execute(&text, map[string]any{
		"Name": name, "Dir": w.dir, "Bucket": bucket, "Endpoint": w.store.endpoint(),
		"AccessKey": accessKey, "SecretKey": secretKey, "Addresses": addresses, "Election": election, "Timing": w.timing.text,
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(w.dir, name+".hcl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	api, err := client.New(filepath.Join(w.dir, name, "api.sock"), client.Options{})
	if err != nil {
		return nil, err
	}
	return &process{program: w.program, name: name, dir: w.dir, config: path, line: w.line, api: api}, nil
}

func (w *world) start() error {
	for _, p := range w.nodes {
		if err := p.start(); err != nil {
			return fmt.Errorf("start %s: %w", p.name, err)
		}
	}
	return nil
}

// end ends every process, all at once, and waits until all they said is heard.
func (w *world) end() {
	var ending sync.WaitGroup
	for _, p := range w.nodes {
		ending.Go(p.stop)
	}
	ending.Wait()
}

// close ends every process and removes everything.
func (w *world) close() {
	w.end()
	if w.store != nil {
		w.store.close()
	}
	os.RemoveAll(w.dir)
}

// hear waits until everything is taken in that living processes have said.
func (w *world) hear(ctx context.Context) error {
	for _, p := range w.nodes {
		if !p.running() || p.isFrozen() {
			continue
		}
		if err := p.hear(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) node(name string) *process {
	for _, p := range w.nodes {
		if p.name == name {
			return p
		}
	}
	return nil
}

// others returns all nodes but one.
func (w *world) others(name string) []*process {
	var out []*process
	for _, p := range w.nodes {
		if p.name != name {
			out = append(out, p)
		}
	}
	return out
}

// leader returns the node whose guard is open now, nil if there is none.
func (w *world) leader() (*process, core.Epoch) {
	name, epoch := w.line.leader(clock())
	return w.node(name), epoch
}

// cutLinks cuts or heals every link between nodes that live.
func (w *world) cutLinks(verb string) error {
	for _, p := range w.nodes {
		if !p.running() {
			continue
		}
		for _, other := range w.others(p.name) {
			if err := p.link(verb, other.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle waits until all is well: every process runs, one leads, all others
// acknowledge, and the leader stands on heartbeats alone, to everybody's knowledge.
func (w *world) settle(ctx context.Context) (*process, core.Epoch, error) {
	for {
		for _, p := range w.nodes {
			if !p.running() {
				return nil, 0, fmt.Errorf("%s has ended by itself; the nodes' logs:\n%s", p.name, w.logs())
			}
		}
		if leader, epoch := w.leader(); leader != nil && w.healthy(ctx, leader) {
			return leader, epoch, nil
		}
		select {
		case <-ctx.Done():
			return nil, 0, fmt.Errorf("the nodes did not settle: %w; their logs:\n%s", ctx.Err(), w.logs())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (w *world) healthy(ctx context.Context, leader *process) bool {
	e, err := leader.api.Election(ctx, election)
	if err != nil || !e.Leading || e.ArbiterMS != 0 {
		return false
	}
	for _, p := range e.Peers {
		if !p.Elector || !p.Acknowledges || !p.Eligible {
			return false
		}
	}
	for _, p := range w.others(leader.name) {
		f, err := p.api.Election(ctx, election)
		// A follower may not have heard yet that the arbiter's longer lease is waived.
		if err != nil || f.Role != "follower" || f.Leader != leader.name || f.FreeInMS > e.HeartbeatLeaseMS {
			return false
		}
		for _, peer := range f.Peers {
			if !peer.Connected {
				return false
			}
		}
	}
	return true
}

// logs returns the end of every node's log.
func (w *world) logs() string {
	var out strings.Builder
	for _, p := range w.nodes {
		text, _ := os.ReadFile(filepath.Join(w.dir, p.name+".log"))
		if len(text) > 4000 {
			text = text[len(text)-4000:]
		}
		fmt.Fprintf(&out, "--- %s\n%s", p.name, text)
	}
	return out.String()
}
