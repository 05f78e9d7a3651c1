// Package config reads electd's configuration (design 8.1): HCL in, validated
// values out, or diagnostics with file, line and column. It is the only package
// that knows HCL.
//
// Each block is a struct whose tags declare its attributes: name, default,
// allowed words, documentation, and whether a running daemon can take a change.
// Decoding, comparing two configurations and docs/configuration.md all follow
// these tags.
package config

import "time"

// Config is a complete configuration with every default filled in and every
// relative path made absolute.
type Config struct {
	Node      Node       `electd:"node,block,required" doc:"This node: who it is and where it keeps what it must remember."`
	Arbiter   Arbiter    `electd:"arbiter,block,required" doc:"What stores the lease records. One for all elections; the label names the arbiter: s3, gcs, bully, file, or that of a plugin electd-arbiter-<label> in plugin_dir. All other attributes in the block are the arbiter's own."`
	PluginDir string     `electd:"plugin_dir" default:"/usr/lib/electd/plugins" restart:"plugins are looked up when electd starts" doc:"Folder with arbiter plugins that are not built into electd. $PATH is never searched."`
	Transport *Transport `electd:"transport,block" doc:"Heartbeats between nodes. Without peers, leadership is decided by the arbiter alone."`
	Elections []Election `electd:"election,blocks,required" doc:"One thing that needs one leader. The label is its name, and part of the lease record's key. Any number."`
	API       API        `electd:"api,block" doc:"HTTP API, metrics and web page."`
	Log       Log        `electd:"log,block" doc:"What electd writes on its standard error."`
	Watchdog  *Watchdog  `electd:"watchdog,block" restart:"the device is opened once" doc:"Hardware watchdog: resets the machine when a fence overruns the leader's authority. Without this block no device is touched."`
	Telemetry *Telemetry `electd:"telemetry,block" restart:"traces are set up once" doc:"OpenTelemetry traces: one for each change of leader, across nodes. Without this block only if OTEL_EXPORTER_OTLP_ENDPOINT is set."`

	source
}

// Node says who this node is.
type Node struct {
	ID       string `electd:"id,required" restart:"peers and records know the node by it" doc:"The node's name: letters, digits, '.', '_' and '-', at most 63. Unique in the deployment; with TLS it is the name in the node's certificate." example:"db-a"`
	DataDir  string `electd:"data_dir" default:"/var/lib/electd" restart:"it is locked when electd starts" doc:"Folder for the identity, the sessions and the highest epoch seen. One node, one folder."`
	Identity string `electd:"identity" default:"random" values:"random|node-id" restart:"it is fixed when electd starts" doc:"\"random\": drawn once and kept in data_dir, so that a second machine with the same id is found out. \"node-id\": the id itself, for orchestrators that give no disk but guarantee that at most one node has an id (a StatefulSet)."`
}

// Arbiter says what stores the records. Its free attributes are decoded by
// DecodeArbiter once the arbiter's schema is known.
type Arbiter struct {
	Name   string   `electd:",label"`
	Probe  string   `electd:"probe" default:"start" values:"start|skip" restart:"the store is probed when electd starts" doc:"\"start\": examine the store before the first election and refuse one that could let two leaders live. \"skip\": trust it."`
	Plugin *Plugin  `electd:"plugin,block" doc:"How to start an arbiter that is a plugin of its own. A reload starts it anew if this, or the program's file, has changed, and lets it take over once it is configured."`
	_      struct{} `electd:",rest"`
}

// Plugin says how an arbiter's process is started.
type Plugin struct {
	Path     string   `electd:"path" doc:"The program. Default: electd-arbiter-<label> in plugin_dir."`
	SHA256   string   `electd:"sha256" doc:"SHA-256 of the program, 64 hexadecimal digits. A program with another sum is not started."`
	Env      []string `electd:"env" doc:"Names of further environment variables to hand on, beside the usual ones and the provider's own. A trailing * stands for any ending." example:"[\"ACME_*\"]"`
	Insecure bool     `electd:"insecure" default:"false" doc:"Run the connection to the plugin without TLS, for plugins whose gRPC cannot do it. The socket's folder stays closed to other users."`
}

// Transport says how nodes reach each other.
type Transport struct {
	Listen        string `electd:"listen,required" restart:"the socket is opened once" doc:"Address for the peers' heartbeats, host:port." example:"10.0.0.1:7400"`
	Advertise     string `electd:"advertise" restart:"it is announced when electd starts" doc:"Address under which peers reach this node. Default: listen, with the machine's name where listen names no host."`
	Insecure      bool   `electd:"insecure" default:"false" restart:"the socket is opened once" doc:"Plain text instead of TLS: whoever reaches the port can speak as any node. Loopback addresses only."`
	ForceInsecure bool   `electd:"force_insecure" default:"false" restart:"the socket is opened once" doc:"Lets insecure stand on other addresses too, for networks that encrypt by themselves."`
	Peers         []Peer `electd:"peer,blocks" restart:"the connections are set up when electd starts" doc:"Another node of the deployment; the label is its id. At most eight."`
	TLS           *TLS   `electd:"tls,block" restart:"the files' places are fixed when electd starts" doc:"Certificates for mutual TLS 1.3. \"electd tls init\" makes a set. Renewed files are picked up by themselves."`
}

// Peer is another node.
type Peer struct {
	ID      string `electd:",label"`
	Address string `electd:"address,required" doc:"Where the peer listens, host:port." example:"10.0.0.2:7400"`
}

// TLS names the files for connections between nodes.
type TLS struct {
	CAFile   string `electd:"ca_file,required" doc:"Certificate authority that signed the peers' certificates, PEM." example:"/etc/electd/ca.pem"`
	CertFile string `electd:"cert_file,required" doc:"This node's certificate, PEM. Its name must be the node's id." example:"/etc/electd/db-a.pem"`
	KeyFile  string `electd:"key_file,required" doc:"The certificate's private key, PEM." example:"/etc/electd/db-a.key"`
}

// API says where the HTTP API is served.
type API struct {
	Listen     string     `electd:"listen" restart:"the socket is opened once" doc:"TCP address, host:port. Default: none, the Unix socket only. Without a token or client certificates, TCP only reads." example:"127.0.0.1:7401"`
	Advertise  string     `electd:"advertise" restart:"it is announced when electd starts" doc:"Address of the API as told to clients and peers. Default: listen, with the machine's name where listen names no host."`
	Socket     string     `electd:"socket" restart:"the socket is opened once" doc:"Unix socket, for the owner of the daemon only. Default: api.sock in the node's data_dir."`
	TokenFile  string     `electd:"token_file" doc:"File with the token that TCP clients must show to change anything: a regular file, at least 16 characters, spaces around them aside."`
	TLS        *ServerTLS `electd:"tls,block" restart:"the files' places are fixed when electd starts" doc:"Serve TCP over TLS. Renewed files are picked up by themselves."`
	StatusCode StatusCode `electd:"status_code,block" doc:"HTTP status codes of /v1/elections/{name}/leader, for load balancers that want others."`
}

// ServerTLS names the files for the API's TCP listener.
type ServerTLS struct {
	CAFile   string `electd:"ca_file" doc:"Certificate authority of client certificates, PEM. A client with one may change things without a token."`
	CertFile string `electd:"cert_file,required" doc:"The API's certificate, PEM."`
	KeyFile  string `electd:"key_file,required" doc:"The certificate's private key, PEM."`
}

// StatusCode overrides codes of the health endpoint for load balancers.
type StatusCode struct {
	Leader    int `electd:"leader" default:"200" doc:"This node leads."`
	NotLeader int `electd:"not_leader" default:"503" doc:"This node does not lead."`
}

// Log says what is logged, and how.
type Log struct {
	Level  string `electd:"level" default:"info" values:"trace|debug|info|warn|error" doc:"Least severe level to write."`
	Format string `electd:"format" default:"text" values:"text|json" restart:"the log is opened once" doc:"One line of text or one JSON object an entry."`
}

// Watchdog is the hardware watchdog.
type Watchdog struct {
	Device    string        `electd:"device" default:"/dev/watchdog" doc:"The watchdog's device."`
	Mode      string        `electd:"mode" default:"automatic" values:"off|automatic|required" doc:"\"automatic\": use the device if it can be opened. \"required\": do not lead without it."`
	Timeout   time.Duration `electd:"timeout" default:"1s" doc:"The device resets the machine when it is not petted for this long, in whole seconds. With the time between two extensions of the authority it must fit into what one of them buys."`
	OnOverrun string        `electd:"on_overrun" default:"kill" values:"kill|exit|reset" doc:"What to do when a fence is not over before the authority ends. \"kill\": kill the program's group once more. \"exit\": end electd as well. \"reset\": let the device reset the machine."`
}

// Telemetry says where traces go.
type Telemetry struct {
	Endpoint   string `electd:"endpoint" doc:"Base URL of a collector that takes OTLP over HTTP; /v1/traces is added. Default: what OTEL_EXPORTER_OTLP_ENDPOINT says. Headers, certificates and the like are OpenTelemetry's own variables." example:"http://127.0.0.1:4318"`
	Deployment string `electd:"deployment" doc:"Name of the deployment, the same on all nodes: part of the traces' ids, so that deployments whose elections have the same names can share a collector." example:"prod"`
}
