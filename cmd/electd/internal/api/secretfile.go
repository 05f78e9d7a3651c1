package api

import (
	"errors"
	"io/fs"
	"os"

	"github.com/electd/electd/core"
)

// errNotRegular is what is wrong with a pipe, a device or a folder: reading it
// could wait for ever.
var errNotRegular = errors.New("it is no regular file")

// readFile reads the file that an attribute of the api block names. Errors are
// *core.AttributeError.
func readFile(attribute, file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: file, Err: errNotRegular}
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, &core.AttributeError{Attribute: attribute, Problem: "cannot be read", Err: err, Advice: "name a file that electd may read"}
	}
	return text, nil
}

// CheckToken reports what New would find wrong with a token's file; nothing if
// there is none, or one that only the daemon's user may read.
func CheckToken(file string) error {
	if file == "" {
		return nil
	}
	if _, err := readToken(file); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
