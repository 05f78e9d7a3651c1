// Package register is the bully arbiter's decision: one majority register a key,
// after CASPaxos, as pure values. It reads no clock, draws no random number,
// does no I/O, starts no goroutine and logs nothing; package bully does that.
//
// Three machines make it up. An Acceptor is a voter's memory; what it changes
// must be on disk before its answer leaves. An Operation is one read or one
// swap, driven through its rounds by the answers of the acceptors. An Admission
// lets a voter with an empty data directory in: as a founder while every voter's
// is empty, by a transfer from a majority of the others ever after.
package register
