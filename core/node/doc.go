// Package node runs one election on one machine. It is the only caller of
// core.Step: it owns the clock, the timer, the goroutines that talk to the
// arbiter, and the guard.
//
// One goroutine calls Step; nothing an action does delays it. Every operation
// that Step starts is answered by exactly one event, at its deadline at the
// latest.
package node
