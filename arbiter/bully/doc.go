// Package bully is an arbiter without a store: three or more nodes decide among
// themselves (design 6). Each key is a majority register (package register) on
// the disks of a fixed set of voters; votes go over direct connections. Gossip
// (package gossip) only finds the nodes, ranks them and spreads news. Who stands
// first is the Bully order: the most suitable live voter, among equals the one
// with the greater id.
package bully
