//go:build !linux

// Package proctree finds and kills the descendants of a process.
package proctree

// Held are processes that are held. Only Linux can.
type Held struct{}

// Hold holds nobody here.
func Hold(int) Held { return Held{} }

// Kill does nothing here.
func (*Held) Kill() {}

// Release does nothing here.
func (*Held) Release() {}
