// Package sim is a seeded discrete-event simulator of an election: nodes that
// run the real core.Step, their clocks, the network between them, a store with
// faults, and a witness resource that checks epochs. Everything follows from a
// Plan, so a run can be repeated, and shrunk to the faults that matter.
package sim
