// Package gossip finds the nodes of a bully cluster, tells who is alive and how
// they rank, and spreads news of decisions. It decides nothing: what it says may
// be late, lost or wrong, and whoever acts on it asks the voters.
package gossip
