package datadir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/google/renameio/v2"
)

// format is the format of the files written here; a newer one is refused.
const format = 1

// maxFile bounds what is read: the files are a few hundred bytes.
const maxFile = 64 << 10

// stamped begins every file, and says what it is and whose.
type stamped struct {
	Format int    `json:"format"`
	Kind   string `json:"kind"`         // "identity", "sessions", "floor" or "pause"
	Of     string `json:"of,omitempty"` // election
}

// save replaces the file at path by v, durably. What v embeds as stamped must
// have been filled in.
func save(path string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	body = fmt.Appendf(body, "crc32 %08x\n", crc32.ChecksumIEEE(body))
	dir := filepath.Dir(path)
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return unusable(path, err)
	}
	defer f.Cleanup()
	if _, err := f.Write(body); err != nil {
		return unusable(path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return unusable(path, err)
	}
	return syncDir(dir)
}

// restore reads the file at path into v; ok is false if there is none. A file
// that is damaged, newer, or of another kind or election is a *CorruptError
// with the advice given, and v stays as it was.
func restore[T any](path, kind, of, advice string, v *T) (ok bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, unusable(path, err)
	}
	if info.Size() > maxFile || !info.Mode().IsRegular() {
		return false, &CorruptError{path, "it is no file of electd", advice}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, unusable(path, err)
	}
	body, sum, found := bytes.Cut(text, []byte("\ncrc32 "))
	body = append(bytes.Clone(body), '\n')
	if !found || string(sum) != fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(body)) {
		return false, &CorruptError{path, "it is damaged (its checksum does not fit)", advice}
	}
	var head stamped
	if err := json.Unmarshal(body, &head); err != nil {
		return false, &CorruptError{path, "it cannot be read", advice}
	}
	switch {
	case head.Format > format:
		return false, &CorruptError{path, fmt.Sprintf("it has format %d, this electd knows %d", head.Format, format), "start the newer electd that wrote it"}
	case head.Format < 1:
		return false, &CorruptError{path, fmt.Sprintf("it has format %d, which there never was", head.Format), advice}
	case head.Kind != kind || head.Of != of:
		return false, &CorruptError{path, fmt.Sprintf("it is the file %q of %q", head.Kind, head.Of), advice}
	}
	var whole T
	if err := json.Unmarshal(body, &whole); err != nil {
		return false, &CorruptError{path, "it cannot be read", advice}
	}
	*v = whole
	return true, nil
}

// syncDir makes names that were created, renamed or removed in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return unusable(dir, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return unusable(dir, err)
	}
	return nil
}

// leftover is a file that was being written when its process was killed.
var leftover = regexp.MustCompile(`^\.(identity|sessions|floor|pause)\d+$`)

// sweep removes leftovers from dir. The lock must be held.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return unusable(dir, err)
	}
	for _, entry := range entries {
		if !leftover.MatchString(entry.Name()) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if err := os.Remove(path); err != nil {
			return unusable(path, err)
		}
	}
	return nil
}
