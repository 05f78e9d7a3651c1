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
	path := filepath.Join(dir, "identity")
	var file identityFile
	found, err := restore(path, "identity", "", "restore it from a backup, or give the node an empty data directory: it then is a new node, that the leader has to admit", &file)
	switch {
	case err != nil:
		return "", err
	case found && file.Node != node:
		return "", &OtherNodeError{Path: dir, Owner: file.Node, Node: node}
	case found:
		return file.Identity, nil
	}
	file = identityFile{stamped{format, "identity", ""}, node, rand.Text()}
	return file.Identity, save(path, file)
}
