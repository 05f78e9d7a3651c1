package plugins

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/electd/electd/core"
)

// executable is what the kernel is given to execute: a path, and the open file
// behind it if there is one, which must stay open until then.
type executable struct {
	path string   // what is executed
	name string   // what is shown for it
	file *os.File // handed to the process as its descriptor 3; may be nil
	drop func()   // frees what was made for it; may be nil
}

func (e *executable) close() {
	if e.file != nil {
		_ = e.file.Close()
	}
	if e.drop != nil {
		e.drop()
	}
}

// Pin returns the sha256 of a plugin's file in hexadecimal, as a Spec's Pin
// takes it. A file that would not be started is refused for the same reason.
func Pin(path string) (string, error) {
	if err := checkExecutable(path); err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verifiedCopy copies the file at path and hashes it in the same pass: with a pin,
// exactly the verified bytes are in the copy.
func verifiedCopy(source io.Reader, path, pin, base string) (*executable, error) {
	h := sha256.New()
	copied, err := sealedCopy(io.TeeReader(source, h), path, base)
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", path, err)
	}
	if pin == "" {
		return copied, nil
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if subtle.ConstantTimeCompare([]byte(sum), []byte(strings.ToLower(pin))) != 1 {
		copied.close()
		return nil, &core.AttributeError{
			Attribute: "plugin.sha256", Problem: fmt.Sprintf("%s has sha256 %s, but %s is pinned", path, sum, pin),
			Advice: "if the change was meant, pin it anew (electd plugin pin), otherwise find out who made it",
		}
	}
	return copied, nil
}

// privateImage makes a private copy in a directory of its own inside base, for
// where memory cannot be sealed.
func privateImage(source io.Reader, path, base string) (*executable, error) {
	dir, err := newSocketDir(base)
	if err != nil {
		return nil, err
	}
	e, err := privateCopy(source, path, dir.path)
	if err != nil {
		return nil, errors.Join(err, dir.remove())
	}
	e.drop = func() { _ = dir.remove() }
	return e, nil
}

// privateCopy writes the bytes to an executable file in a private directory.
func privateCopy(source io.Reader, path, dir string) (*executable, error) {
	f, err := os.CreateTemp(dir, "exec")
	if err != nil {
		return nil, err
	}
	e := &executable{path: f.Name(), name: path, drop: func() { _ = os.Remove(f.Name()) }}
	_, err = io.Copy(f, source)
	if err == nil {
		err = f.Chmod(0o500)
	}
	// Closed before it is executed: a file open for writing is busy.
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}
