// Package core is electd's protocol: one pure state machine, an election's view
// from one node.
//
// Step is total and deterministic. It takes the configuration, the State, the
// present Instant of this node's own clock and one Event, changes the State and
// appends the Actions to be carried out. It reads no clock, draws no random
// number, writes no log and starts no goroutine; package core/node does that.
package core
