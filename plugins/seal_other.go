//go:build !linux

package plugins

import (
	"io"
	"os"
)

// self is the file of the running image.
func self() (*executable, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &executable{path: path, name: os.Args[0]}, nil
}

// sealedCopy copies the bytes into a directory of this user's own.
func sealedCopy(source io.Reader, path, base string) (*executable, error) {
	return privateImage(source, path, base)
}
