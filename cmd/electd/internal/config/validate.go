package config

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// maxPeers follows from the record: at most nine electors (design 5).
const maxPeers = 8

// maxSocketPath is what every supported system takes as a Unix socket's path.
const maxSocketPath = 103

// validator checks values, and collects what is wrong with them.
type validator struct {
	*source
	diags hcl.Diagnostics
}

func (v *validator) fail(path, summary, detail string) {
	v.diags = append(v.diags, v.diagnostic(hcl.DiagError, path, summary, detail))
}

func (v *validator) warn(path, summary, detail string) {
	v.diags = append(v.diags, v.diagnostic(hcl.DiagWarning, path, summary, detail))
}

func (v *validator) config(c *Config) {
	v.words(reflect.ValueOf(c).Elem(), "")
	v.name("node.id", "Node id", c.Node.ID)
	v.arbiter(&c.Arbiter)
	if c.Transport != nil {
		v.transport(c.Transport, c.Node.ID)
	}
	v.elections(c)
	v.api(&c.API)
	if c.Transport != nil && SameSocket(c.Transport.Listen, c.API.Listen) {
		v.fail("api.listen", fmt.Sprintf("Address %s is the transport's as well", c.API.Listen),
			fmt.Sprintf("transport.listen is %q, and two listeners cannot share a port. Give one of them another.", c.Transport.Listen))
	}
	if c.Watchdog != nil && c.Watchdog.Mode != "off" {
		v.watchdog(c)
	}
	if t := c.Telemetry; t != nil && t.Endpoint != "" {
		v.httpURL("telemetry.endpoint", t.Endpoint, "http://127.0.0.1:4318")
	}
}

// words checks every attribute that takes only certain words.
func (v *validator) words(s reflect.Value, path string) {
	for _, f := range fieldsOf(s.Type()) {
		at, value := join(path, f.name), s.Field(f.index)
		switch {
		case f.kind == attribute && f.values != nil && !slices.Contains(f.values, value.String()):
			v.fail(at, fmt.Sprintf("Unknown value %q for %s", value.String(), f.name), choose(value.String(), f.values))
		case f.kind == block && value.Kind() == reflect.Struct:
			v.words(value, at)
		case f.kind == block && !value.IsNil():
			v.words(value.Elem(), at)
		case f.kind == blocks:
			for i := range value.Len() {
				v.words(value.Index(i), labelPath(at, labelOf(value.Index(i))))
			}
		}
	}
}

// labelOf returns the label of a labelled block's struct.
func labelOf(s reflect.Value) string {
	for _, f := range fieldsOf(s.Type()) {
		if f.kind == label {
			return s.Field(f.index).String()
		}
	}
	return ""
}

func choose(given string, words []string) string {
	text := "Allowed are " + strings.Join(words, ", ") + "."
	if near := nearest(given, words); near != "" {
		text = fmt.Sprintf("Did you mean %q? %s", near, text)
	}
	return text
}

func (v *validator) name(path, what, name string) {
	if !namePattern.MatchString(name) {
		v.fail(path, fmt.Sprintf("%s %q cannot be used", what, name), nameRule)
	}
}

func (v *validator) arbiter(a *Arbiter) {
	if !arbiterPattern.MatchString(a.Name) {
		v.fail("arbiter.label", fmt.Sprintf("Arbiter %q cannot exist", a.Name), "An arbiter's name is lower-case letters, digits and '-': it is part of its program's name, electd-arbiter-<name>.")
	}
	if a.Probe == "skip" {
		v.warn("arbiter.probe", "The store is not examined", "With a store that does not do conditional writes correctly, two nodes can lead at once, and nothing will notice.")
	}
	p := a.Plugin
	if p == nil {
		return
	}
	if sum, err := hex.DecodeString(p.SHA256); p.SHA256 != "" && (err != nil || len(sum) != 32) {
		v.fail("arbiter.plugin.sha256", "Not a SHA-256", "It is 64 hexadecimal digits, as sha256sum prints.")
	}
	for _, name := range p.Env {
		if bare := strings.TrimSuffix(name, "*"); bare == "" || strings.ContainsAny(bare, "=*") {
			v.fail("arbiter.plugin.env", fmt.Sprintf("%q names no environment variable", name), "Give names, without values; a * may only stand at the end.")
		}
	}
	if p.Insecure {
		v.warn("arbiter.plugin.insecure", "The connection to the plugin is not encrypted", "Only the socket's folder, closed to other users, protects it.")
	}
}

func (v *validator) transport(t *Transport, self string) {
	v.address("transport.listen", t.Listen, 0)
	if t.Advertise != reachable(t.Listen) {
		v.address("transport.advertise", t.Advertise, 1)
	}
	if len(t.Peers) == 0 {
		v.warn("transport", "Transport without peers", "No node is told to connect, so the arbiter alone decides who leads. Add peer blocks, or leave transport out.")
	}
	if len(t.Peers) > maxPeers {
		v.fail("transport", fmt.Sprintf("%d peers are too many", len(t.Peers)), fmt.Sprintf("A deployment has at most %d nodes.", maxPeers+1))
	}
	for _, p := range t.Peers {
		path := labelPath("transport.peer", p.ID)
		v.name(join(path, "label"), "Node id", p.ID)
		v.address(join(path, "address"), p.Address, 1)
		if p.ID == self {
			v.fail(join(path, "label"), "This node as its own peer", fmt.Sprintf("node.id is %q as well. List the other nodes only.", self))
		}
	}
	v.security(t)
}

// security checks that peers are authenticated, or that the user said otherwise.
func (v *validator) security(t *Transport) {
	switch {
	case t.TLS != nil && t.Insecure:
		v.fail("transport.insecure", "Both tls and insecure", "Remove one: insecure sends plain text.")
	case t.TLS == nil && !t.Insecure:
		v.fail("transport", "Transport without certificates", "Add a tls block (\"electd tls init\" makes certificates), or insecure = true on loopback addresses.")
	case t.Insecure && !t.ForceInsecure:
		v.loopback("transport.listen", t.Listen)
		for _, p := range t.Peers {
			v.loopback(join(labelPath("transport.peer", p.ID), "address"), p.Address)
		}
	case t.Insecure:
		v.warn("transport.force_insecure", "Heartbeats are neither encrypted nor authenticated", "Whoever reaches the port can speak as any node.")
	case t.ForceInsecure:
		v.fail("transport.force_insecure", "force_insecure without insecure", "It has no effect with a tls block; remove it.")
	}
}

func (v *validator) loopback(path, address string) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return // reported already
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		v.fail(path, fmt.Sprintf("Plain text on %s", address), "insecure is for loopback addresses. Use a tls block, or force_insecure = true if the network itself encrypts and authenticates.")
	}
}

// SameSocket tells whether two addresses cannot be listened on at once.
func SameSocket(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false // nothing to compare, or the system chooses two
	}
	ipA, ipB := net.ParseIP(hostA), net.ParseIP(hostB)
	everywhere := func(host string, ip net.IP) bool { return host == "" || ip != nil && ip.IsUnspecified() }
	return hostA == hostB || ipA != nil && ipA.Equal(ipB) || everywhere(hostA, ipA) || everywhere(hostB, ipB)
}

// address checks host:port; ports below least are refused.
func (v *validator) address(path, address string, least int) {
	host, port, err := net.SplitHostPort(address)
	number, convErr := strconv.Atoi(port)
	switch {
	case err != nil:
		v.fail(path, fmt.Sprintf("Address %q is not host:port", address), `Write "10.0.0.1:7400", "db-a.example:7400" or "[fd00::1]:7400".`)
	case convErr != nil || number < least || number > 65535:
		v.fail(path, fmt.Sprintf("Port %q cannot be used", port), fmt.Sprintf("A port is a number from %d to 65535.", least))
	case host == "" && least > 0:
		v.fail(path, fmt.Sprintf("Address %q names no host", address), "Others need to know which machine it is.")
	}
}

func (v *validator) api(a *API) {
	if a.Listen != "" {
		v.address("api.listen", a.Listen, 0)
	} else {
		for _, name := range []string{"token_file", "tls", "advertise"} {
			if v.given(join("api", name)) {
				v.fail(join("api", name), name+" without listen", "It is for the API's TCP address; give listen, or remove it.")
			}
		}
	}
	if a.Listen != "" && a.Advertise != reachable(a.Listen) {
		v.address("api.advertise", a.Advertise, 1)
	}
	if len(a.Socket) > maxSocketPath {
		v.fail("api.socket", "Path of the API's socket is too long", fmt.Sprintf("%s has %d bytes; a Unix socket's path may have %d. Set api.socket, or a shorter node.data_dir.", a.Socket, len(a.Socket), maxSocketPath))
	}
	if host, _, err := net.SplitHostPort(a.Listen); err == nil && a.TokenFile != "" && a.TLS == nil {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			v.warn("api.listen", "The API's token travels in plain text", "Add a tls block, or listen on a loopback address.")
		}
	}
	v.within("api.status_code.leader", a.StatusCode.Leader, 200, 599)
	v.within("api.status_code.not_leader", a.StatusCode.NotLeader, 200, 599)
}

func (v *validator) within(path string, value, least, most int) {
	if value < least || value > most {
		v.fail(path, fmt.Sprintf("%d is out of range", value), fmt.Sprintf("It must be from %d to %d.", least, most))
	}
}

// httpURL checks an absolute http or https URL, such as the example.
func (v *validator) httpURL(path, text, example string) {
	if u, err := url.Parse(text); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		v.fail(path, "Not a URL that can be fetched", fmt.Sprintf("Write it in full: %q.", example))
	}
}
