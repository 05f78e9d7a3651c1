package plugins

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/electd/electd/core"
)

// executable is what a start executes: the path the kernel is given, and the
// open file behind it if there is one, which must stay open until then.
type executable struct {
	path string   // what is executed
	name string   // what is shown for it
	file *os.File // handed to the process as its descriptor 3; may be nil
	drop func()   // frees what was made for this start; may be nil
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
// takes it.
func Pin(path string) (string, error) {
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

// findExecutable checks the file at path and returns what to execute. With a
// pin that is a private, sealed copy of the file, made in the same pass that
// computed its hash: exactly the verified bytes are executed, whatever happens
// to the file meanwhile. dir is a private directory, for where the kernel
// cannot seal memory.
func findExecutable(path, pin, dir string) (*executable, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o111 == 0:
		return nil, fmt.Errorf("%s is not executable (chmod +x it)", path)
	}
	if err := checkTrusted(path); err != nil {
		return nil, err
	}
	if pin == "" {
		return &executable{path: path, name: path}, nil
	}
	return verifiedCopy(path, pin, dir)
}

func verifiedCopy(path, pin, dir string) (*executable, error) {
	source, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	h := sha256.New()
	copied, err := sealedCopy(io.TeeReader(source, h), path, dir)
	if err != nil {
		return nil, fmt.Errorf("copy %s to verify it: %w", path, err)
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
