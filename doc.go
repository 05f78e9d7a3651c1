// Package electd is the root of the module. The protocol is in core, the daemon
// in cmd/electd; docs/architecture.md shows the whole house.
package electd
