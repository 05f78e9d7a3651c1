package file

import (
	"fmt"
	"strings"

	"github.com/electd/electd/core"
)

// The files that accompany a record. No record's own name contains a tilde.
const (
	lockSuffix = "~lock" // held while a record is replaced; never removed
	newSuffix  = "~new"  // the next record, until it is renamed
)

// longestName is what common file systems take, in bytes, less our suffixes.
const longestName = 255 - len(lockSuffix)

// fileName turns a key into the name of its file. Distinct keys get distinct
// names also where names are compared without regard to case, so capitals are
// escaped like everything else outside a-z, 0-9, dot, dash and underscore.
func fileName(key string) (string, error) {
	if key == "" {
		return "", fmt.Errorf("%w: the key is empty", core.ErrInvalid)
	}
	var name strings.Builder
	for i := range len(key) {
		if c := key[i]; plain(c) && !(c == '.' && i == 0) {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, "%%%02x", c)
		}
	}
	if name.Len() > longestName {
		return "", fmt.Errorf("%w: the key %q needs a file name of %d bytes, and %d are possible: use a shorter name",
			core.ErrInvalid, key, name.Len(), longestName)
	}
	return name.String(), nil
}

// plain reports whether c stands for itself in a file's name.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
}
