package datadir

import (
	"crypto/rand"
	"path/filepath"
)

type identityFile struct {
	stamped
	Node     string `json:"node"`
	Identity string `json:"identity"`
}

// ownIdentity returns the identity kept in dir, and draws one on first start.
func ownIdentity(dir, node string) (string, error) {
	known, found, err := knownIdentity(dir, node)
	if err != nil || found {
		return known, err
	}
	file := identityFile{stamped{format, "identity", ""}, node, rand.Text()}
	return file.Identity, save(filepath.Join(dir, "identity"), file)
}

// knownIdentity returns the identity kept in dir, if there is one.
func knownIdentity(dir, node string) (identity string, found bool, err error) {
	var file identityFile
	found, err = restore(filepath.Join(dir, "identity"), "identity", "", "restore it from a backup, or give the node an empty data directory: it then is a new node, that the leader has to admit", &file)
	if err == nil && found && file.Node != node {
		err = &OtherNodeError{Path: dir, Owner: file.Node, Node: node}
	}
	return file.Identity, found, err
}
