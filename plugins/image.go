package plugins

import (
	"fmt"
	"os"
)

// image is the program that a host has adopted. Every start of the same spec
// executes it, whatever has become of the plugin's file since: only a Reload
// adopts another one.
type image struct {
	self   *executable // the running program itself; else nil
	path   string
	pinned bool
	file   os.FileInfo // of the file that was copied
	copied *executable // its bytes, which nobody can change
}

// image opens, checks and copies the program that the spec names.
func (s Spec) image() (*image, error) {
	if s.Path == "" {
		program, err := self()
		return &image{self: program}, err
	}
	if err := checkExecutable(s.Path); err != nil {
		return nil, err
	}
	source, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return nil, err
	}
	copied, err := verifiedCopy(source, s.Path, s.Pin, s.SocketDir)
	if err != nil {
		return nil, err
	}
	return &image{path: s.Path, pinned: s.Pin != "", file: info, copied: copied}, nil
}

// program returns what a start executes now. Without a pin that is the file at its
// own path, so that a script finds what lies beside it, for as long as it is the
// file that was adopted; else the copy of that one.
func (m *image) program() *executable {
	switch {
	case m.self != nil:
		return m.self
	case m.pinned || !m.intact():
		return m.copied
	}
	return &executable{path: m.path, name: m.path}
}

// intact says whether the file at the path is still the adopted one, and as
// trustworthy.
func (m *image) intact() bool {
	now, err := os.Stat(m.path)
	return err == nil && os.SameFile(now, m.file) && now.Size() == m.file.Size() &&
		now.ModTime().Equal(m.file.ModTime()) && checkExecutable(m.path) == nil
}

// strayed says whether a start has to do without the plugin's own file.
func (m *image) strayed() bool { return m.self == nil && !m.intact() }

func (m *image) close() {
	if m != nil && m.copied != nil {
		m.copied.close()
	}
}

// checkExecutable refuses what is no program, or what others could replace.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is not executable (chmod +x it)", path)
	}
	return checkTrusted(path)
}
