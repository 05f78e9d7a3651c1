// Package mutants breaks the rules of the protocol one at a time and sets the
// searches of core/sim upon each broken core. A rule whose loss no search
// notices is either not needed or not tested; the package tells which.
//
// A mutant is a change to the text of core's files, put in front of the compiler
// by an overlay: the core that is shipped knows nothing of it.
package mutants
