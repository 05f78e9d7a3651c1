package pki

import (
	"os"

	"github.com/google/renameio/v2"
)

// file is one to be written.
type file struct {
	path string
	data []byte
	mode os.FileMode
}

// write makes the file. Without overwrite it fails if there is one.
func (f file) write(overwrite bool) error {
	if overwrite {
		return renameio.WriteFile(f.path, f.data, f.mode, renameio.IgnoreUmask())
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.data)
	if err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}
